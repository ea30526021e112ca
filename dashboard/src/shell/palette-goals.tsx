import { keepPreviousData } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import type { PublicSchemas } from '../api/client.ts'
import { useGet } from '../api/get.ts'
import { useOrganization } from '../api/organization.tsx'
import { duration } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { monitorTypeLabels } from '../lib/labels.ts'
import { applyTheme, type Theme } from '../lib/theme.ts'
import { useDelayed } from '../lib/use-delayed.ts'
import { canCheck, useMonitorActions } from '../screens/monitors/actions.ts'
import { settingsItems } from '../screens/settings/sections.ts'
import { StateShape } from '../ui/state.tsx'
import { showToast } from '../ui/toast.tsx'
import { navigationItems } from './navigation.ts'
import { useSignOut } from './sign-out.ts'

export interface Goal {
  /** Stays the same while results change, so that the selection does. */
  readonly id: string
  readonly group: string
  readonly name: string
  readonly note?: string
  readonly mark?: preact.JSX.Element
  /** Other words to find it by. */
  readonly words?: string
  readonly go: () => void
}

interface Options {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
  readonly onHelp: () => void
}

const verbs = { pause: t('Pause'), resume: t('Resume'), check: t('Check') } as const
type Verb = keyof typeof verbs

/** "pause shop" is an action for monitors that match "shop". */
function parseVerb(text: string): { readonly verb: Verb | null; readonly rest: string } {
  const [, word, rest] = /^(pause|resume|check)\s(.*)$/is.exec(text.trimStart()) ?? []
  return word === undefined
    ? { verb: null, rest: text.trim() }
    : { verb: word.toLowerCase() as Verb, rest: (rest as string).trim() }
}

/** Whether every word of the query is in the text. */
function isMatch(text: string, query: string): boolean {
  const folded = text.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word))
}

const TYPING_MS = 120
const MOST = 8
const MOST_INCIDENTS = 50

/** The entries of the palette for a text, and whether more may come. */
export function useGoals(options: Options): { readonly goals: readonly Goal[]; readonly isLoading: boolean } {
  const { verb, rest } = parseVerb(options.text)
  const settled = useDelayed(rest, TYPING_MS)
  const isSearching = settled !== '' || verb !== null
  const isForMonitors = verb !== null
  const monitors = useGet('monitor', '/api/v1/monitor-list', {
    query: { limit: MOST, ...(settled !== '' && { q: settled, sort: 'match' as const }) },
    enabled: isSearching,
    placeholderData: keepPreviousData,
  })
  const pages = useGet('status_page', '/api/v1/status-pages', {
    query: { limit: MOST, q: settled },
    enabled: settled !== '' && !isForMonitors,
    placeholderData: keepPreviousData,
  })
  // Incidents have no search: the ongoing ones are few.
  const incidents = useGet('incident', '/api/v1/incidents', {
    query: { status: 'ONGOING', limit: MOST_INCIDENTS },
    enabled: isSearching && !isForMonitors,
  })
  const fixed = useFixedGoals(options)
  const openers = useMonitorGoals(options.onClose, verb)
  const to = useOpen(options.onClose)
  const isLoading = rest !== settled || (isSearching && [monitors, pages, incidents].some((one) => one.isFetching))
  const foundMonitors = openers(monitors.data?.data ?? [])
  if (isForMonitors) return { goals: foundMonitors, isLoading }
  if (rest === '') return { goals: fixed, isLoading: false }
  const found: readonly Goal[] = [
    ...fixed.filter(({ name, words = '' }) => isMatch(`${name} ${words}`, rest)),
    ...foundMonitors,
    ...(pages.data?.data ?? []).map(({ id, name, slug }) => ({
      id,
      group: t('Status pages'),
      name,
      note: slug,
      go: to(`/status-pages/${id}`),
    })),
    ...(incidents.data?.data ?? []).map(({ id, monitor, cause, startedAt }) => ({
      id,
      group: t('Incidents'),
      name: t('{name} is down', { name: monitor.name }),
      note: duration((Date.now() - new Date(startedAt).getTime()) / 1000),
      words: cause ?? '',
      go: to(`/incidents/${id}`),
    })),
  ]
  // Results of the previous text stay until the next come, without those that can no longer match.
  const goals = found.filter(({ name, note = '', words = '', group }) =>
    group === t('Monitors') ? true : isMatch(`${name} ${note} ${words}`, rest),
  )
  return { goals: goals.toSorted((a, b) => rankOf(a, rest) - rankOf(b, rest)), isLoading }
}

/** Names that equal the text come first, then those that begin with it, then those with a word that does. */
function rankOf({ name }: Goal, text: string): number {
  const [folded, wanted] = [name.toLowerCase(), text.toLowerCase()]
  if (folded === wanted) return 0
  return folded.startsWith(wanted) ? 1 : folded.includes(` ${wanted}`) ? 2 : 3
}

function useOpen(onClose: () => void) {
  const [, navigate] = useLocation()
  return (path: string) => () => {
    onClose()
    navigate(path)
  }
}

type FoundMonitor = PublicSchemas['ListedMonitor']

/** Opens monitors, or applies the typed verb to those that it can be applied to. */
function useMonitorGoals(onClose: () => void, verb: Verb | null) {
  const actions = useMonitorActions()
  const { may, refresh } = useOrganization()
  const to = useOpen(onClose)
  const apply = async (action: Verb, monitor: FoundMonitor) => {
    if (action !== 'check') return actions.turn(action, [monitor])
    await actions.check(monitor.id)
    await refresh('monitor', 'incident')
    showToast(t('{name} checked', { name: monitor.name }))
  }
  return (monitors: readonly FoundMonitor[]): readonly Goal[] =>
    monitors
      .filter(({ state, type }) => {
        if (verb === null) return true
        if (verb === 'check' && !canCheck({ type })) return false
        return may('MEMBER') && (state === 'PAUSED') === (verb === 'resume')
      })
      .map((monitor) => ({
        id: `${verb ?? 'open'} ${monitor.id}`,
        group: verb === null ? t('Monitors') : t('Actions'),
        name: verb === null ? monitor.name : `${verbs[verb]} ${monitor.name}`,
        note: monitorTypeLabels[monitor.type],
        mark: <StateShape state={monitor.state} />,
        go:
          verb === null
            ? to(`/monitors/${monitor.id}`)
            : () => {
                onClose()
                void apply(verb, monitor).catch((problem: Error) => showToast(problem.message))
              },
      }))
}

const themes: readonly (readonly [Theme, string])[] = [
  ['light', t('Light theme')],
  ['dark', t('Dark theme')],
  ['system', t('System theme')],
]

/** Screens, settings and actions: known without a request. */
function useFixedGoals({ onText, onClose, onHelp }: Options): readonly Goal[] {
  const { may } = useOrganization()
  const to = useOpen(onClose)
  const signOut = useSignOut()
  const link = (group: Goal['group'], name: string, path: string, words = ''): Goal => ({
    id: path,
    group,
    name,
    words,
    go: to(path),
  })
  const act = (name: string, go: () => void, words = ''): Goal => ({ id: name, group: t('Actions'), name, words, go })
  const change = may('MEMBER')
    ? [
        link(t('Actions'), t('New monitor'), '/monitors/new', t('add create')),
        link(t('Actions'), t('New status page'), '/status-pages?new', t('add create')),
        link(t('Actions'), t('New alert contact'), '/settings/contacts?new', t('add create notification')),
        link(t('Actions'), t('Schedule maintenance'), '/maintenance/new', t('new window')),
        link(t('Actions'), t('Publish incident'), '/published/new', 'new'),
        act(t('Pause monitor…'), () => onText('pause ')),
        act(t('Resume monitor…'), () => onText('resume ')),
        act(t('Check monitor now…'), () => onText('check ')),
      ]
    : []
  return [
    ...navigationItems.map(({ name, path }) => link(t('Screens'), name, path)),
    ...settingsItems
      .filter(({ needs }) => may(needs))
      .map(({ name, path, words }) => ({
        ...link(t('Screens'), name, `/settings/${path}`, words),
        note: t('Settings'),
      })),
    ...change,
    ...(may('ADMIN') ? [link(t('Actions'), t('Invite people'), '/settings/members?invite', t('add member user'))] : []),
    link(t('Actions'), t('Wall board'), '/?board', t('tv full screen')),
    link(t('Screens'), t('Uptime report'), '/reports/uptime', t('month sla csv print')),
    act(t('Keyboard shortcuts'), onHelp, t('help keys')),
    ...themes.map(([theme, name]) =>
      act(
        name,
        () => {
          applyTheme(theme)
          onClose()
        },
        t('appearance mode'),
      ),
    ),
    act(t('Sign out'), () => void signOut(), t('log out')),
  ]
}
