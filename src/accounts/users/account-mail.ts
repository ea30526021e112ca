import type { Letter } from '../../outbound/mail.ts'

interface Wording {
  readonly to: string
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly link: string
}

/** A short letter with one link in it. */
export function accountMail(id: string, { to, subject, paragraphs, link }: Wording): Letter {
  const [opening = '', ...rest] = paragraphs
  const text = [opening, link, ...rest].join('\n\n')
  const html = [
    `<p>${escaped(opening)}</p>`,
    `<p><a href="${escaped(link)}">${escaped(link)}</a></p>`,
    ...rest.map((paragraph) => `<p>${escaped(paragraph)}</p>`),
  ].join('\n')
  return { to, id, subject, text: `${text}\n`, html }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
