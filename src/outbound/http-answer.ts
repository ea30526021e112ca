import { http } from '../lib/http.ts'
import { type Reason, reason } from '../reasons/reason.ts'

/** "HTTP 407 Proxy Authentication Required" */
export function httpAnswer(status: number): Reason {
  const name = http.STATUS_CODES[status]
  return name === undefined ? reason('http_answer', { status }) : reason('http_answer_named', { status, name })
}
