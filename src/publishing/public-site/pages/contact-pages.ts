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
    html`<bdi>${organization}</bdi> wants to send monitoring alerts to <bdi>${address}</bdi>.`,
    html`<form method="post"><button>Confirm</button></form>`,
  )
}

export function alertsConfirmedPage({ organization, address }: AlertsRequest): SafeHtml {
  return messagePage(
    'Address confirmed',
    html`<bdi>${address}</bdi> will receive monitoring alerts from <bdi>${organization}</bdi>. You can close this page.`,
  )
}

export const brokenAlertsLinkPage = messagePage(
  'Invalid link',
  'The link is incomplete or has expired, or the alert contact was changed. Ask for a new confirmation e-mail.',
)
