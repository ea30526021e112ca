import downIcon from '../favicon-down.svg'

let title = document.title
let ongoing = 0
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
const calmIcon = icon?.href ?? ''

export function setTabTitle(next: string): void {
  title = next
  show()
}

/** The number of ongoing incidents, which title and icon show. */
export function setTabIncidents(count: number): void {
  ongoing = count
  show()
}

function show(): void {
  document.title = ongoing === 0 ? title : `(${ongoing}) ${title}`
  const href = ongoing === 0 ? calmIcon : downIcon
  if (icon && icon.getAttribute('href') !== href) icon.href = href
}
