import { createHash } from 'node:crypto'
import { reason } from '../../../reasons/reason.ts'
import type { Failure } from '../attempt.ts'
import type { Sent } from './send-authorized.ts'
import { unexpectedStatus } from './unexpected-status.ts'

/** RFC 6455. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** A masked close frame without a status. */
const CLOSE_FRAME = Buffer.from([0x88, 0x80, 0, 0, 0, 0])

/** Whether the server accepted the upgrade. Says goodbye, so that the server does not log a broken connection. */
export function judgeUpgrade({ response, connection }: Sent, key: string): Failure | null {
  const { status, headers } = response
  if (status !== 101) return { code: 'STATUS', kind: 'content', error: unexpectedStatus(status, [101]) }
  const accepted = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64')
  if (headers['sec-websocket-accept'] !== accepted || headers.upgrade?.toLowerCase() !== 'websocket') {
    return { code: 'STATUS', kind: 'content', error: reason('websocket_refused') }
  }
  connection.socket.write(CLOSE_FRAME)
  connection.socket.destroySoon()
  return null
}
