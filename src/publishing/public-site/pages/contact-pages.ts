import { html, type SafeHtml } from '../markup/html.ts'
import { messagePage } from './standalone-pages.ts'

interface AlertsRequest {
  readonly organization: string
  readonly address: string
}

/** Asks for a click, because mail scanners open links but press no buttons. */
export function askAlertsPage({ organization, address }: AlertsRequest): SafeHtml {
  return messagePage(
    'Receive alerts by e-mail?',
    html`<bdi>${organization}</bdi> wants to send alerts of its monitoring to <bdi>${address}</bdi>.`,
    html`<form method="post"><button>Confirm</button></form>`,
  )
}

export function alertsConfirmedPage({ organization, address }: AlertsRequest): SafeHtml {
  return messagePage(
    'Address confirmed',
    html`<bdi>${address}</bdi> now receives alerts of <bdi>${organization}</bdi>. You can close this page.`,
  )
}

export const brokenAlertsLinkPage = messagePage(
  'This link does not work',
  'It may be cut off or older than 7 days, or the contact was changed or removed. Ask for a new confirmation e-mail.',
)
