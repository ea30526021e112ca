import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorFor } from '../../../../src/publishing/public-site/languages/translator.ts'
import { bars, dayStrip, legend, rowLength, summaryOf } from '../../../../src/publishing/public-site/pages/day-bars.ts'
import {
  type Day,
  type DayKind,
  dayKinds,
  lastDaysOf,
} from '../../../../src/publishing/public-site/uptime/daily-uptime.ts'
import type { NotesOfMonitor } from '../../../../src/publishing/public-site/views/day-notes.ts'

const words = translatorFor('en', 'UTC')
const firstDayAt = Date.UTC(2026, 0, 1)
const day = (kind: DayKind): Day => ({
  kind,
  upMs: 1,
  degradedMs: 60_000,
  downMs: 120_000,
  pausedMs: 1,
  maintenanceMs: 180_000,
  unknownMs: 240_000,
})
const figures = (kinds: readonly DayKind[]) => ({ days: kinds.map(day), upMs: 1, downMs: 0, uptime: 1 })
const renderedBars = (kinds: readonly DayKind[], notes?: NotesOfMonitor): string =>
  String(bars(figures(kinds), dayStrip('/status/x', firstDayAt, kinds.length, words), words, notes))

test('every day is a link to its own page, with a tooltip, outside the tab order', () => {
  const text = renderedBars(Array(90).fill('up'))
  const links = [
    ...text.matchAll(/<a tabindex="-1" href="\/status\/x\/days\/([\d-]+)"(?: class="l")? data-t="([^"]+)">/g),
  ]
  assert.equal(links.length, 90)
  assert.deepEqual(links[0]?.slice(1), ['2026-01-01', 'Jan 1, 2026: Operational'])
  assert.deepEqual(links[89]?.slice(1), ['2026-03-31', 'Mar 31, 2026: Operational'])
  assert.equal(text.match(/class="l"/g)?.length, 45, 'tooltips of the older half open to the right')
  assert.match(text, /<p class="sr">Last 90 days: 90 operational<\/p><div class="strip" aria-hidden="true">/)
})

test('the tooltip of a day has its state, how long it lasted, and its incidents', () => {
  const kinds: DayKind[] = [
    ...Array(60).fill('up'),
    'down',
    'degraded',
    'maintenance',
    'paused',
    'none',
    'unknown',
    'up',
  ]
  const text = renderedBars(
    kinds,
    new Map([
      [60, ['<Broken>', 'Slow']],
      [66, ['Announced']],
    ]),
  )
  for (const [kind, tooltip] of [
    ['down', 'Mar 2, 2026: Down, 2 min\n&lt;Broken&gt;\nSlow'],
    ['degraded', 'Mar 3, 2026: Degraded, 1 min'],
    ['maintenance', 'Mar 4, 2026: Maintenance, 3 min'],
    ['paused', 'Mar 5, 2026: Paused'],
    ['none', 'Mar 6, 2026: No data'],
    ['unknown', 'Mar 7, 2026: Not monitored, 4 min'],
    ['up', 'Mar 8, 2026: Operational\nAnnounced'],
  ] as const) {
    assert.ok(text.includes(` class="${kind}" data-t="${tooltip}"></a>`), kind)
  }
  assert.match(
    text,
    /Last 67 days: 61 operational, 1 degraded, 1 with downtime, 1 with maintenance, 1 with unmonitored time, 1 paused/,
  )
})

test('the legend explains every kind of day', () => {
  const kinds = [...String(legend(words)).matchAll(/<i class="(\w+)">/g)].map(([, kind]) => kind)
  assert.deepEqual(kinds, [...dayKinds])
})

test('many days are split into rows without losing any; the last day ends a full row', () => {
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
  const rows = renderedBars([...Array(364).fill('up'), 'down'])
    .split('<div class="days">')
    .slice(1)
  assert.deepEqual(
    rows.map((row) => [row.match(/<i>/g)?.length ?? 0, row.match(/<a /g)?.length]),
    [
      [3, 89],
      [0, 92],
      [0, 92],
      [0, 92],
    ],
  )
  assert.match(rows[3] ?? '', /class="down" data-t="Dec 31, 2026: Down, 2 min"><\/a><\/div>/)
})

test('the text alternative counts the days of every kind', () => {
  assert.equal(summaryOf([{ kind: 'up' }], words), 'Last day: 1 operational')
  assert.equal(
    summaryOf(
      dayKinds.map((kind) => ({ kind })),
      translatorFor('de', 'UTC'),
    ),
    'Letzte 7 Tage: 1 verfügbar, 1 eingeschränkt, 1 mit Ausfall, 1 mit Wartung, 1 mit nicht überwachter Zeit, 1 pausiert und 1 ohne Daten',
  )
})

test('the uptime of the last days counts only those days', () => {
  const up: Day = { ...day('up'), upMs: 900, downMs: 0 }
  const down: Day = { ...day('down'), upMs: 800, downMs: 100 }
  const history = { days: [down, up, down], upMs: 2_500, downMs: 200, uptime: 0 }
  assert.deepEqual(lastDaysOf(history, 2), { days: [up, down], upMs: 1_700, downMs: 100, uptime: 1_700 / 1_800 })
})
