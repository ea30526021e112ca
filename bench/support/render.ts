/** Reads and renders a page repeatedly without a cache. Prints the times in milliseconds as JSON. */

import { statusPage } from '../../src/publishing/public-site/pages/status-page.ts'
import { publishedPage } from '../../src/publishing/public-site/queries/pages.ts'
import { pageView } from '../../src/publishing/public-site/views/page-view.ts'
import { openAny } from './monitors.ts'
import { forgetRows, SLUG } from './pages.ts'

const [dataDir = '', times = '300'] = process.argv.slice(2)
const database = await openAny(dataDir)

const WARM_UP = 100
const taken = { read: [] as number[], draw: [] as number[], both: [] as number[] }
for (let i = 0; i < WARM_UP + Number(times); i += 1) {
  await forgetRows(database, `${i}`)
  const started = performance.now()
  const view = await database.read(readPage())
  const read = performance.now()
  const options = { root: `/status/${SLUG}`, staleMs: null, canMail: false, hasForms: true, poweredBy: true }
  const drawing = Buffer.from(String(statusPage(view, options)))
  const testCase = performance.now()
  if (drawing.length === 0) throw new Error('Nothing was drawn')
  if (i < WARM_UP) continue
  taken.read.push(read - started)
  taken.draw.push(testCase - read)
  taken.both.push(testCase - started)
}
await database.close()
process.stdout.write(JSON.stringify(taken))

function* readPage() {
  const page = yield* publishedPage({ slug: SLUG }, { baseUrl: 'http://localhost', requiresDomainProof: false })
  if (page === undefined) throw new Error('There is no page')
  return yield* pageView(page, 'http://localhost', Date.now())
}
