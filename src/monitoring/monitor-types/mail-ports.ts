import type { Dialogue } from '../../contract/check-options.ts'
import type { ProbeTarget } from '../../contract/probe.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'

/** Of mail servers. What a monitor sends there can be e-mails, which come from the operator's address. */
const MAIL_PORTS: readonly unknown[] = [25, 465, 587]

export const MAIL_RULE =
  'on ports 25, 465 and 587 this installation sends only presets, because other texts could be e-mails'

/** Whether a dialogue sends texts of its own. Those of presets are known. */
export function sendsOwnTexts({ steps = [] }: Dialogue): boolean {
  return steps.some(({ send, sendHex }) => send !== undefined || sendHex !== undefined)
}

/** Where private targets are denied, users are strangers who must not send e-mails. */
export function isMailRefused(dialogue: Dialogue, port: unknown, policy: AddressPolicy): boolean {
  return policy === 'deny' && MAIL_PORTS.includes(port) && sendsOwnTexts(dialogue)
}

type Target = ProbeTarget & { readonly requestBody?: string | null }

/** The same for a check. Some mail servers skip the head of an HTTP request and read its body. */
export function isMailCheckRefused(type: string, target: Target, policy: AddressPolicy): boolean {
  const { port, dialogue, url, request, requestBody } = target
  if (type === 'PORT') return dialogue !== undefined && isMailRefused(dialogue, port, policy)
  if (policy !== 'deny' || (type !== 'HTTP' && type !== 'KEYWORD') || typeof requestBody !== 'string') return false
  return [url, request?.proxyUrl].some((address) => MAIL_PORTS.includes(Number(URL.parse(address ?? '')?.port)))
}
