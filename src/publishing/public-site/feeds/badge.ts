import { DAY_MS } from '../../../lib/clock.ts'
import { oneLine, truncate } from '../../../lib/text.ts'
import type { DbWork } from '../../../storage/query.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import type { SafeHtml } from '../markup/html.ts'
import { xml } from '../markup/xml.ts'
import { type Shape, shapeOf } from '../pages/icons.ts'
import { overallShape, overallText } from '../pages/overall-text.ts'
import { monitorOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { firstDayOf, uptimeHistoryOf } from '../uptime/daily-uptime.ts'
import { daysOfMonitor } from '../uptime/stored-days.ts'
import { displayNamesOn, pageInfoOf } from '../views/page-info.ts'
import { liveStateOf, monitorView, type PageView } from '../views/page-view.ts'

export type BadgeStyle = 'flat' | 'flat-square'

interface BadgeContent {
  readonly label: string
  readonly value: string
  readonly shape: Shape
}

const MAX_LABEL_LENGTH = 60
const UPTIME_DAYS = 30

export function pageBadge(view: PageView): BadgeContent {
  return { label: view.page.name, value: overallText(view), shape: overallShape(view) }
}

/** The current status and the uptime of the last 30 days. */
export function* monitorBadge(
  row: StoredPage,
  baseUrl: string,
  id: string,
  now: number,
): DbWork<BadgeContent | undefined> {
  const page = pageInfoOf(row, baseUrl)
  const { key, t } = page
  const found = yield* monitorOf(key, id)
  if (found === undefined) return undefined
  const statusInput = (yield* statusInputsOn(key.orgId, [key.pageId], now))(key.pageId, found.num, found.state)
  const stored = yield* daysOfMonitor(key, found.num, firstDayOf(now, UPTIME_DAYS) * DAY_MS)
  const { uptime } = uptimeHistoryOf(stored, liveStateOf(found, statusInput), UPTIME_DAYS, now)
  const { status, name } = monitorView(found, statusInput, null)
  return {
    label: (yield* displayNamesOn(row, [found])).get(id) ?? name,
    value: [t.text(`status_${status}`), ...(page.showUptime && uptime !== null ? [t.percent(uptime)] : [])].join(' · '),
    shape: shapeOf[status],
  }
}

const SIZE_PX = 11
const HEIGHT = 20
const MARGIN = 6

/** Each has enough contrast with white text and with light and dark pages (tested). */
export const backgrounds: Readonly<Record<Shape, string>> = {
  up: '#08734f',
  degraded: '#8a5200',
  down: '#a8102a',
  maintenance: '#2450b0',
  unknown: '#566175',
  paused: '#566175',
  none: '#566175',
}
export const LABEL_BACKGROUND = '#3d4450'

/** Self-contained SVG: no stylesheet, script or external resource. */
export function badgeSvg(badge: BadgeContent, style: BadgeStyle): SafeHtml {
  const [label, value] = [truncate(oneLine(badge.label), MAX_LABEL_LENGTH), badge.value]
  const [labelWidth, valueWidth] = [textWidth(label, SIZE_PX), textWidth(value, SIZE_PX)]
  const left = Math.round(labelWidth + 2 * MARGIN)
  const width = left + Math.round(valueWidth + 2 * MARGIN)
  const text = (at: number, length: number, content: string): SafeHtml =>
    xml`<text x="${at}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${content}</text>`
  const isRound = style === 'flat'
  return xml`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${label}: ${value}">
<title>${label}: ${value}</title>
${isRound && xml`<clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath>`}
<g${isRound && xml` clip-path="url(#r)"`}>
<rect width="${left}" height="${HEIGHT}" fill="${LABEL_BACKGROUND}"/>
<rect x="${left}" width="${width - left}" height="${HEIGHT}" fill="${backgrounds[badge.shape]}"/>
</g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${SIZE_PX}" text-rendering="geometricPrecision">
${text(MARGIN, labelWidth, label)}
${text(left + MARGIN, valueWidth, value)}
</g>
</svg>
`
}

/** Widths of the ASCII characters from space to tilde in Verdana, in thousandths of an em. */
const WIDTHS =
  '352 394 459 818 636 1076 727 269 454 454 636 818 364 454 364 454 636 636 636 636 636 636 636 636 636 636 454 454 818 818 818 545 ' +
  '1000 684 686 698 771 632 575 775 751 421 455 693 557 843 748 787 603 787 695 684 616 732 684 989 685 615 685 454 454 454 818 636 ' +
  '636 601 623 521 623 596 352 623 633 274 344 592 274 973 633 607 623 623 427 521 394 633 592 818 592 592 525 635 454 635 818'

const ems = WIDTHS.split(' ').map((width) => Number(width) / 1000)

/** Other characters: full-width ones take 1 em, combining ones 0, the rest 0.65 em. */
const WIDE =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uff60]|\p{Extended_Pictographic}/u
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u

/** An estimate; badges stretch the text to exactly this width. */
export function textWidth(text: string, sizePx: number): number {
  let width = 0
  for (const character of text) {
    const em = ems[character.charCodeAt(0) - 32]
    width +=
      character.length === 1 && em !== undefined ? em : NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 1 : 0.65
  }
  return Math.round(width * sizePx * 10) / 10
}
