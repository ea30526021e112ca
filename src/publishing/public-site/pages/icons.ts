import { html, type SafeHtml } from '../markup/html.ts'
import type { DayKind } from '../uptime/daily-uptime.ts'
import type { IncidentState } from '../views/incident-views.ts'
import type { MonitorPageStatus } from '../views/page-view.ts'

/** Every status has its own shape, so that it can be recognized without its color. A day has the shape of its kind. */
export type Shape = DayKind

export const shapeOf: Readonly<Record<MonitorPageStatus, Shape>> = {
  OPERATIONAL: 'up',
  DEGRADED: 'degraded',
  PARTIAL_OUTAGE: 'down',
  MAJOR_OUTAGE: 'down',
  MAINTENANCE: 'maintenance',
  PAUSED: 'paused',
  PENDING: 'none',
}

export const shapeOfIncident: Readonly<Record<IncidentState, Shape>> = {
  INVESTIGATING: 'degraded',
  IDENTIFIED: 'degraded',
  MONITORING: 'none',
  RESOLVED: 'up',
}

const outlines: Readonly<Record<Shape, SafeHtml>> = {
  up: html`<circle cx="8" cy="8" r="6"/>`,
  degraded: html`<path d="M8 1.6 15 14H1z"/>`,
  down: html`<path d="m3.8 1.4 4.2 4.2 4.2-4.2 2.4 2.4L10.4 8l4.2 4.2-2.4 2.4L8 10.4l-4.2 4.2-2.4-2.4L5.6 8 1.4 3.8z"/>`,
  maintenance: html`<path d="M14.6 4.2 12 6.8 9.6 6.4 9.2 4l2.6-2.6a4.4 4.4 0 0 0-5.7 5.7L1.4 11.8a2 2 0 0 0 2.8 2.8l4.7-4.7a4.4 4.4 0 0 0 5.7-5.7z"/>`,
  unknown: html`<path d="M6 1h4v3.500H6zm0 5.250h4v3.500H6zm0 5.250h4V15H6z"/>`,
  paused: html`<path d="M3.5 2h3v12h-3zm6 0h3v12h-3z"/>`,
  none: html`<path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8z"/>`,
}

const tick = html`<path d="m6.4 13.4-5-5 1.9-1.9 3.1 3.1 6.3-6.4 1.9 1.9z"/>`

/** SVG symbols that `icon` refers to. */
export const iconSymbols: SafeHtml = html`${Object.entries({ ...outlines, tick }).map(
  ([shape, outline]) => html`<symbol id="i-${shape}" viewBox="0 0 16 16">${outline}</symbol>`,
)}`

/** The large icon of the banner: a tick instead of the disc for `up`. */
export function bannerIcon(shape: Shape): SafeHtml {
  return html`<span class="badge"><svg class="i" aria-hidden="true"><use href="#i-${shape === 'up' ? 'tick' : shape}"/></svg></span>`
}

/** Hidden from screen readers; always used beside text. */
export function icon(shape: Shape): SafeHtml {
  return html`<svg class="i ${shape}" aria-hidden="true"><use href="#i-${shape}"/></svg>`
}

const tints: Readonly<Record<Shape, string>> = {
  up: '#0fa678',
  degraded: '#d67e00',
  down: '#d3203a',
  maintenance: '#2b5cc8',
  unknown: '#6b7482',
  paused: '#6b7482',
  none: '#6b7482',
}

/** A data: URL; the default favicon shows the status of the page. */
export function faviconUrl(shape: Shape): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 20 20" fill="${tints[shape]}">${outlines[shape]}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
