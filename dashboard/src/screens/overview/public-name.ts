/** A monitor that was added by its address is called like it. Visitors of a status page get a name; null if it has one already. */
export function publicNameOf(name: string, website: string): string | null {
  if (/\s/.test(name) || !/[./:]/.test(name)) return null
  const url = URL.parse(`https://${name.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')}`)
  if (url === null) return null
  const last = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .at(-1)
  if (last !== undefined) {
    const words = last
      .replace(/\.\w+$/, '')
      .replaceAll(/[-_+.]+/g, ' ')
      .trim()
    if (words !== '') return words.charAt(0).toUpperCase() + words.slice(1)
  }
  // Visitors need not know addresses of machines.
  const isDomain = /\.[^.]*[a-z][^.]*$/i.test(url.hostname)
  return isDomain ? url.hostname.replace(/^www\./, '') : website
}

/** The address of the first page: that of the organization. Undefined if nothing usable is left of its name. */
export function slugFor(organization: string): string | undefined {
  const slug = organization
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
  return slug.length < 3 ? undefined : slug
}
