import type { Deprecation } from '../../contract/operation.ts'

const NOTICE_DAYS = 180

/** The headers of a deprecated operation: RFC 9745, RFC 8594 and a link to the notes. */
export function deprecationHeaders({ since, sunset, link }: Deprecation): Record<string, string> {
  const noticeDays = (sunset.getTime() - since.getTime()) / 86_400_000
  if (noticeDays < NOTICE_DAYS) {
    throw new Error(`A deprecated operation keeps working for at least ${NOTICE_DAYS} days, not ${noticeDays}`)
  }
  return {
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    sunset: sunset.toUTCString(),
    link: `<${link}>; rel="deprecation"; type="text/html"`,
  }
}
