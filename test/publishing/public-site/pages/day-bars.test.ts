import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorFor } from '../../../../src/publishing/public-site/languages/translator.ts'
import { barSymbols, bars, rowLength, summaryOf } from '../../../../src/publishing/public-site/pages/day-bars.ts'
import { type Day, type DayKind, dayKinds } from '../../../../src/publishing/public-site/uptime/daily-uptime.ts'

const words = translatorFor('en', 'UTC')
const firstDayAt = Date.UTC(2026, 0, 1)
const day = (kind: DayKind): Day => ({
  kind,
  upMs: 1,
  degradedMs: 60_000,
  downMs: 120_000,
  pausedMs: 1,
  maintenanceMs: 180_000,
})
const figures = (kinds: readonly DayKind[]) => ({ days: kinds.map(day), upMs: 1, downMs: 0, uptime: 1 })
const drawn = (kinds: readonly DayKind[]): string => String(bars(figures(kinds), firstDayAt, words))

test('consecutive days without problems are one shared element', () => {
  const text = drawn(Array(90).fill('up'))
  assert.equal(text.match(/<use /g)?.length, 1)
  assert.match(text, /<use href="#b-up" x="0"><\/use>/)
  assert.match(text, /aria-label="Last 90 days: 90 operational"/)
})

test('a day with problems is its own element with date and duration', () => {
  const text = drawn([...Array(40).fill('up'), 'down', 'degraded', 'maintenance', ...Array(47).fill('up')])
  assert.match(text, /<use href="#b-down" x="160"><title>Feb 10, 2026: Down, 2 min<\/title><\/use>/)
  assert.match(text, /<use href="#b-degraded" x="164"><title>Feb 11, 2026: Degraded, 1 min<\/title><\/use>/)
  assert.match(text, /<use href="#b-maintenance" x="168"><title>Feb 12, 2026: Maintenance, 3 min<\/title><\/use>/)
  assert.match(text, /aria-label="Last 90 days: 87 operational, 1 degraded, 1 with downtime, 1 with maintenance"/)
})

test('paused days and days without data have their own look and title', () => {
  const text = drawn([...Array(60).fill('none'), ...Array(10).fill('paused'), ...Array(20).fill('up')])
  assert.match(text, /<use href="#b-none"\/><title>Jan 1, 2026 to Mar 1, 2026: No data<\/title>/)
  assert.match(text, /<use href="#b-paused"\/><title>Mar 2, 2026 to Mar 11, 2026: Paused<\/title>/)
})

test('every kind of day has its own shape', () => {
  const paths = [...String(barSymbols(7)).matchAll(/id="b-(\w+)"[^>]* d="([^"]+)"/g)]
  assert.deepEqual(
    paths.map(([, kind]) => kind),
    [...dayKinds],
  )
  assert.equal(new Set(paths.map(([, , path]) => path)).size, dayKinds.length)
})

test('many days are split into rows without losing any', () => {
  assert.deepEqual(
    [7, 90, 92, 93, 184, 365].map((count) => [count, rowLength(count), Math.ceil(count / rowLength(count))]),
    [
      [7, 7, 1],
      [90, 90, 1],
      [92, 92, 1],
      [93, 47, 2],
      [184, 92, 2],
      [365, 92, 4],
    ],
  )
  const text = drawn([...Array(364).fill('up'), 'down'])
  assert.match(text, /class="bars rows-4"/)
  const at = (364 % 92) * 4
  assert.ok(text.includes(`<use href="#b-down" x="${at}" y="114"><title>Dec 31, 2026: Down, 2 min</title></use>`))
})

test('the text alternative counts the days of every kind', () => {
  assert.equal(summaryOf([{ kind: 'up', length: 1 }], words), 'Last day: 1 operational')
  assert.equal(
    summaryOf(
      dayKinds.map((kind) => ({ kind, length: 1 })),
      translatorFor('de', 'UTC'),
    ),
    'Letzte 6 Tage: 1 verfügbar, 1 eingeschränkt, 1 mit Ausfall, 1 mit Wartung, 1 pausiert und 1 ohne Daten',
  )
})
