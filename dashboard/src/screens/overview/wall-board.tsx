import { Maximize, Moon, Sun, X } from 'lucide-preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { toRequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { useConnectionState } from '../../lib/connection.ts'
import { number, timeOfDay } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { setTabTitle } from '../../lib/tab.ts'
import { applyTheme, rememberedTheme } from '../../lib/theme.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tiles } from './wall-board-tiles.tsx'

type Board = PublicSchemas['WallBoard']

/** Also without events: it finds out whether the server and the session are still there. */
const REFETCH_MS = 15_000

/** All monitors on a screen on the wall: large, live and without navigation. */
export default function WallBoard() {
  const { organization, base } = useOrganization()
  const [search, change] = useSearchState()
  const isLight = search.get('board') === 'light'
  useBoardMode(isLight)
  const board = useGet('monitor', '/api/v1/wall-board', {
    refetchInterval: REFETCH_MS,
    refetchIntervalInBackground: true,
  })
  const status = board.isError ? toRequestError(board.error).status : null
  return (
    <main class="flex min-h-dvh flex-col gap-4 p-4 lg:h-dvh lg:gap-6 lg:p-6">
      <header class="flex flex-wrap items-center gap-x-6 gap-y-2">
        <Mark size={40} />
        <h1 class="min-w-0 grow text-[clamp(22px,2.6vw,56px)] leading-tight font-semibold">
          <span class="sr-only">{tx('Wall board of {name}:', { name: organization.name })} </span>
          {board.data === undefined || status === 401 ? organization.name : summaryOf(board.data.counts)}
        </h1>
        <div class="ms-auto flex items-center gap-x-6">
          <Clock />
          <Controls isLight={isLight} onTheme={() => change({ board: isLight ? 'dark' : 'light' })} />
        </div>
      </header>
      {status === 401 ? (
        <Notice title={t('Your session has ended')}>
          <a class="button button-primary" href={`/sign-in?next=${encodeURIComponent(`${base}/?board`)}`}>
            {t('Sign in again')}
          </a>
        </Notice>
      ) : board.data === undefined ? (
        <Notice title={board.isError ? t('Can’t reach the server') : t('Loading…')}>
          {board.isError && <p class="text-muted">{t('The board appears when it responds.')}</p>}
        </Notice>
      ) : (
        <>
          <Stale isFailing={board.isError} updatedAt={board.dataUpdatedAt} />
          <Tiles board={board.data} />
        </>
      )}
    </main>
  )
}

/** Dark by default, and a screen that stays on. */
function useBoardMode(isLight: boolean): void {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement
    dataset.board = ''
    dataset.theme = isLight ? 'light' : 'dark'
    return () => {
      delete dataset.board
      applyTheme(rememberedTheme())
    }
  }, [isLight])
  useEffect(() => {
    setTabTitle(t('Wall board · Pharos'))
    let lock: WakeLockSentinel | undefined
    const hold = async () => {
      // Not all browsers have it, and none on plain http: the screen then follows the system settings.
      lock = await navigator.wakeLock?.request('screen').catch(() => undefined)
    }
    const seen = () => document.visibilityState === 'visible' && void hold()
    void hold()
    document.addEventListener('visibilitychange', seen)
    return () => {
      document.removeEventListener('visibilitychange', seen)
      void lock?.release()
    }
  }, [])
}

function summaryOf({ down, degraded, total, paused, pending }: Board['counts']): string {
  const watched = total - paused
  if (total === 0) return t('No monitors yet')
  if (down > 0) return t('{down} of {watched} down', { down: number(down), watched: number(watched) })
  if (degraded > 0)
    return t('{degraded} of {watched} degraded', {
      degraded: number(degraded),
      watched: number(watched),
    })
  if (watched === 0) return t('All monitors are paused')
  if (pending > 0) return t('{pending} not checked yet', { pending: plural(pending, 'monitor') })
  return watched === 1 ? t('Your monitor is up') : t('All {watched} monitors are up', { watched: number(watched) })
}

function Clock() {
  const now = useNow(1000, { isClock: true })
  return (
    <p class="text-[clamp(22px,2.6vw,56px)] leading-tight font-semibold whitespace-nowrap">
      {timeOfDay(new Date(now))}
    </p>
  )
}

function Controls({ isLight, onTheme }: { isLight: boolean; onTheme: () => void }) {
  const toggle = () => {
    // Refused where the browser does not allow it, such as in a frame.
    if (document.fullscreenElement === null) void document.documentElement.requestFullscreen().catch(() => {})
    else void document.exitFullscreen()
  }
  useShortcuts({ f: toggle })
  return (
    <div class="flex gap-1">
      <Button
        look="quiet"
        aria-label={t('Full screen')}
        title={t('Full screen (F)')}
        onClick={toggle}
        icon={<Maximize size={18} />}
      />
      <Button
        look="quiet"
        aria-label={isLight ? t('Dark theme') : t('Light theme')}
        title={isLight ? t('Dark theme') : t('Light theme')}
        onClick={onTheme}
        icon={isLight ? <Moon size={18} /> : <Sun size={18} />}
      />
      <Link
        href="/"
        class="button button-quiet button-icon"
        aria-label={t('Close wall board')}
        title={t('Close wall board')}
      >
        <X size={18} />
      </Link>
    </div>
  )
}

function Notice({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div role="status" class="flex grow flex-col items-center justify-center gap-4 text-center">
      <p class="text-[clamp(28px,4vw,80px)] leading-tight font-semibold">{title}</p>
      {children}
    </div>
  )
}

/** What the board shows may be wrong while it is not updated: it must not look calm then. */
function Stale({ isFailing, updatedAt }: { isFailing: boolean; updatedAt: number }) {
  const { isLive } = useConnectionState()
  if (isLive && !isFailing) return null
  return (
    <p
      role="status"
      class="rounded-md border-2 border-degraded px-4 py-2 text-[clamp(16px,1.6vw,32px)] font-semibold text-degraded-text"
    >
      {tx('Connection lost. Data from {timeOfDay}. Reconnecting…', { timeOfDay: timeOfDay(new Date(updatedAt)) })}
    </p>
  )
}
