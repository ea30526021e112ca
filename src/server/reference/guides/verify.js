import { createHmac, timingSafeEqual } from 'node:crypto'

const MAX_AGE_SECONDS = 300

/** The event, or an error if the request does not come from Pharos. `rawBody` is a string or a Buffer. */
export function verify(secret, headers, rawBody) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS))
    throw new Error('Timestamp too old or too new')
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest()
  const isSigned = headers['webhook-signature'].split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isSigned) throw new Error('No matching signature')
  return JSON.parse(rawBody)
}
