import { escapeHtml } from '../lib/escape-html.ts'

/**
 * The one HTML layout of all e-mails: tables and inline styles, because mail clients ignore most other CSS, at most 600 px
 * wide, light and dark. The mark is text in a coloured cell and not an image: an attached image makes many clients show a
 * paper clip, adds bytes to every message to a subscriber, and weighs against the message in spam filters.
 */
interface EmailDesign {
  readonly locale?: string
  readonly sender: EmailSender
  /** What mail clients show beside the subject. */
  readonly preview?: string
  readonly state?: StateBadge
  readonly title: string
  /** Plain text. */
  readonly paragraphs?: readonly string[]
  /** Plain text, one fact each. The first one is the most important. */
  readonly lines?: readonly string[]
  /** HTML that the caller has escaped. */
  readonly content?: string
  readonly button?: { readonly text: string; readonly href: string }
  /** Plain text below the button. */
  readonly notes?: readonly string[]
  /** HTML that the caller has escaped. */
  readonly footer?: string
}

interface EmailSender {
  readonly name: string
  /** Shown only if it is an https URL. */
  readonly logoUrl?: string | null
}

export type Tone = 'down' | 'degraded' | 'up' | 'maintenance' | 'neutral'

interface StateBadge {
  readonly tone: Tone
  readonly word: string
}

export const pharosSender: EmailSender = { name: 'Pharos' }

/** White text on these has a contrast of at least 4.5. */
const colours: Readonly<Record<Tone, string>> = {
  down: '#b3132b',
  degraded: '#8a5200',
  up: '#08734f',
  maintenance: '#2450b0',
  neutral: '#566175',
}

export const symbols: Readonly<Record<Tone, string>> = {
  down: '✕',
  degraded: '▲',
  up: '●',
  maintenance: '◆',
  neutral: '○',
}

const ACCENT = '#2450b0'
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const INK = `${FONT};color:#0f172a`
const MUTED = `${FONT};color:#566175`
const TABLE = 'role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'

/** Mail clients in dark mode read these; others keep the inline colours. */
const darkStyles = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  '@media (prefers-color-scheme:dark){',
  '.bg{background:#0d1117!important}',
  // The top border keeps the colour of the state.
  '.card{background:#161b22!important;border-right-color:#2a313c!important;border-bottom-color:#2a313c!important;border-left-color:#2a313c!important}',
  '.ink{color:#e6edf3!important}',
  '.muted{color:#98a4b3!important}',
  '.line{border-color:#2a313c!important}',
  '.ink a,.muted a{color:#8fb3ff!important}',
  '.down{color:#ff8085!important}.degraded{color:#ffc24d!important}.up{color:#4fd6ab!important}',
  '}',
].join('')

export function renderEmail(design: EmailDesign): string {
  const { locale = 'en', sender, preview, state, title, content, button, footer } = design
  const edge = state === undefined ? ACCENT : colours[state.tone]
  const parts = [
    state && badge(state),
    `<h1 class="ink" style="margin:0 0 12px;${INK};font-size:22px;line-height:30px;font-weight:600">${escapeHtml(title)}</h1>`,
    ...(design.paragraphs ?? []).map((text) => paragraph(text)),
    ...(design.lines ?? []).map((text, i) => line(text, i === 0)),
    content && `<div class="ink" style="${INK};font-size:16px;line-height:24px">${content}</div>`,
    button && buttonTable(button.text, button.href),
    ...(design.notes ?? []).map((text) => paragraph(text, 'muted')),
  ]
  return [
    '<!doctype html>',
    `<html lang="${escapeHtml(locale)}" dir="ltr"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(title)}</title><style>${darkStyles}</style></head>`,
    '<body class="bg" style="margin:0;padding:0;background:#f6f8fa">',
    preview && `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>`,
    `<table class="bg" ${TABLE} style="background:#f6f8fa"><tr><td align="center" style="padding:24px 12px">`,
    `<table ${TABLE} style="max-width:600px;overflow-wrap:anywhere;word-break:break-word">`,
    `<tr><td style="padding:0 4px 16px">${senderLine(sender)}</td></tr>`,
    `<tr><td class="card" style="padding:24px;background:#ffffff;border:1px solid #dfe3e8;border-top:4px solid ${edge};border-radius:8px">`,
    ...parts,
    '</td></tr>',
    footer &&
      `<tr><td class="muted" style="padding:16px 4px 0;${MUTED};font-size:13px;line-height:20px">${footer}</td></tr>`,
    '</table></td></tr></table></body></html>',
  ]
    .filter(Boolean)
    .join('\n')
}

/** Splits into graphemes: what looks like one letter may be several code points. */
const graphemes = new Intl.Segmenter()

/** The logo, or a cell with the first letter, and the name. */
function senderLine({ name, logoUrl }: EmailSender): string {
  const url = logoUrl == null ? null : URL.parse(logoUrl)
  const [first] = graphemes.segment(name.trim())
  const letter = first?.segment.toUpperCase() ?? ''
  const mark =
    url?.protocol === 'https:'
      ? `<td style="padding-inline-end:10px"><img src="${escapeHtml(url.href)}" alt="" height="32" style="display:block;height:32px;max-width:200px;border:0"></td>`
      : `<td width="32" height="32" align="center" style="width:32px;height:32px;background:${ACCENT};border-radius:8px;${FONT};color:#ffffff;font-size:16px;line-height:32px;font-weight:700">${escapeHtml(letter)}</td><td width="10"></td>`
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>${mark}<td class="ink" style="${INK};font-size:16px;line-height:24px;font-weight:600">${escapeHtml(name)}</td></tr></table>`
}

function badge({ tone, word }: StateBadge): string {
  return `<p style="margin:0 0 12px"><span style="display:inline-block;padding:3px 10px;background:${colours[tone]};border-radius:12px;${FONT};color:#ffffff;font-size:13px;line-height:18px;font-weight:600">${symbols[tone]}&nbsp;${escapeHtml(word)}</span></p>`
}

function paragraph(text: string, look: 'ink' | 'muted' = 'ink'): string {
  const style = look === 'ink' ? `${INK};font-size:16px;line-height:24px` : `${MUTED};font-size:14px;line-height:20px`
  return `<p class="${look}" style="margin:0 0 12px;${style}">${escapeHtml(text)}</p>`
}

function line(text: string, isFirst: boolean): string {
  const size = isFirst ? 'font-size:16px;line-height:24px' : 'font-size:15px;line-height:22px'
  return `<p class="ink" style="margin:0 0 6px;${INK};${size}">${escapeHtml(text)}</p>`
}

/** A cell with a background, because Outlook ignores the padding of links. */
function buttonTable(text: string, href: string): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:16px 0 12px"><tr><td style="background:${ACCENT};border-radius:8px"><a href="${escapeHtml(href)}" style="display:inline-block;padding:12px 20px;${FONT};color:#ffffff;font-size:16px;line-height:20px;font-weight:600;text-decoration:none">${escapeHtml(text)}</a></td></tr></table>`
}

/** A list whose items have a state: the monitors of an alert. `lead` and `rest` are HTML that the caller has escaped. */
export function stateItem(tone: Tone, lead: string, rest: string, href: string): string {
  const link = `<a class="ink" href="${escapeHtml(href)}" style="${INK};font-weight:600;text-decoration:underline">${lead}</a>`
  return `<p class="ink line" style="margin:0;padding:10px 0;border-top:1px solid #dfe3e8;${INK};font-size:14px;line-height:20px"><b class="${tone}" style="color:${colours[tone]}">${symbols[tone]}</b> ${link}${rest}</p>`
}

/** What somebody wrote, below a heading. `body` is safe HTML. */
export function aside(heading: string | null, body: string): string {
  const title = heading === null ? '' : `<b>${escapeHtml(heading)}</b>`
  return `<div class="ink line" style="margin:12px 0 0;padding:2px 0 2px 12px;border-left:3px solid #dfe3e8;${INK};font-size:14px;line-height:20px">${title}${body}</div>`
}

/** A link in a footer. */
export function emailLink(text: string, href: string): string {
  return `<a href="${escapeHtml(href)}" style="color:${ACCENT}">${escapeHtml(text)}</a>`
}
