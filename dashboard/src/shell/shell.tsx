import { Search } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { AppSchemas } from '../api/client.ts'
import { useConnectionState } from '../lib/connection.ts'
import { timeOfDay } from '../lib/format.ts'
import { t, tx } from '../lib/i18n.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Mark } from '../ui/mark.tsx'
import { type NavigationItem, navigationItems } from './navigation.ts'
import { Palette, preloadPalette } from './palette.tsx'
import { UserMenu } from './user-menu.tsx'

const KeyboardHelp = lazy(() => import('./help.tsx'))

/** How many screens the bar of phones has room for. */
const IN_BAR = 3

/** The other screens, on phones. */
function More({ onSearch, onClose }: { onSearch: () => void; onClose: () => void }) {
  return (
    <Dialog title={t('More')} onClose={onClose}>
      <nav aria-label={t('More')} class="-mx-3 flex flex-col" onClickCapture={() => setTimeout(onClose)}>
        {navigationItems.slice(IN_BAR).map((place) => (
          <NavigationLink key={place.path} place={place} isInBar={false} />
        ))}
        <button
          type="button"
          class="touch flex items-center gap-2.5 rounded-md px-3 py-2"
          onClick={() => setTimeout(onSearch)}
        >
          <Search size={18} />
          {t('Search')}
        </button>
      </nav>
    </Dialog>
  )
}

/** The data of the screen comes first. */
const PRELOAD_AFTER_MS = 2000

/** The frame of every screen: navigation (at the bottom on phones), live dot, palette, help. */
export function Shell({ me, children }: { me: AppSchemas['Me']; children: ComponentChildren }) {
  const [open, setOpen] = useState<'palette' | 'help' | 'more' | null>(null)
  const [, navigate] = useLocation()
  useEffect(() => {
    const timer = setTimeout(preloadPalette, PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  useShortcuts({
    'mod+k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    n: () => navigate('/monitors/new'),
    '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
  })
  return (
    <div class="min-h-dvh md:grid md:grid-cols-[16rem_minmax(0,1fr)] print:block">
      <a href="#main" class="button absolute -top-20 left-2 z-50 focus:top-2">
        {t('Skip to content')}
      </a>
      <div class="hidden border-e border-line bg-surface md:block print:hidden">
        <div class="sticky top-0 flex h-dvh flex-col gap-1 p-3">
          <header>
            <p class="flex items-center gap-2 px-3 py-1.5 font-semibold">
              <Mark />
              {t('Pharos')}
            </p>
            <UserMenu me={me} />
          </header>
          <nav aria-label={t('Main')} class="mt-2 flex flex-col gap-0.5">
            {navigationItems.map((place) => (
              <NavigationLink key={place.path} place={place} isInBar={false} />
            ))}
          </nav>
          <div class="grow" />
          <button type="button" class="button button-quiet justify-start text-muted" onClick={() => setOpen('palette')}>
            {tx('Go to… {key}', { key: <kbd class="ms-auto text-xs">{isMac ? '⌘K' : t('Ctrl K')}</kbd> })}
          </button>
          <LiveDot />
        </div>
      </div>
      <div class="flex min-w-0 flex-col">
        <header class="flex items-center gap-2 border-b border-line bg-surface px-3 py-1 md:hidden print:hidden">
          <div class="min-w-0 grow">
            <UserMenu me={me} />
          </div>
          <LiveDot />
        </header>
        <Offline />
        <main id="main" tabIndex={-1} class="grow pb-20 md:pb-0">
          {children}
        </main>
      </div>
      <nav
        aria-label={t('Main')}
        class="fixed inset-x-0 bottom-0 z-40 flex border-t border-line bg-surface md:hidden print:hidden"
      >
        {navigationItems.slice(0, IN_BAR).map((place) => (
          <NavigationLink key={place.path} place={place} isInBar />
        ))}
        <button
          type="button"
          class="flex min-h-14 flex-1 flex-col items-center justify-center text-xs"
          aria-haspopup="dialog"
          onClick={() => setOpen('more')}
        >
          <span aria-hidden="true" class="text-base leading-5">
            ⋯
          </span>
          {t('More')}
        </button>
      </nav>
      <ErrorBoundary place={open ?? ''}>
        <Suspense fallback={null}>
          {open === 'palette' && <Palette onClose={() => setOpen(null)} onHelp={() => setOpen('help')} />}
          {open === 'more' && <More onSearch={() => setOpen('palette')} onClose={() => setOpen(null)} />}
          {open === 'help' && <KeyboardHelp onClose={() => setOpen(null)} />}
        </Suspense>
      </ErrorBoundary>
    </div>
  )
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** In the rail, or in the bar of phones. */
function NavigationLink({ place: { path, name, icon: Icon }, isInBar }: { place: NavigationItem; isInBar: boolean }) {
  const [here] = useLocation()
  const isHere = path === '/' ? here === '/' || here === '/welcome' : here === path || here.startsWith(`${path}/`)
  const look = isInBar
    ? `min-h-14 flex-1 flex-col justify-center text-xs ${isHere ? 'font-semibold text-accent' : ''}`
    : `gap-2.5 rounded-md px-3 py-2 ${isHere ? 'bg-accent-soft font-semibold text-accent' : 'hover:bg-ground'}`
  return (
    <Link href={path} aria-current={isHere ? 'page' : undefined} class={`flex items-center ${look}`}>
      <Icon size={isInBar ? 20 : 18} class="shrink-0" />
      {isInBar ? name : <span class="min-w-0">{name}</span>}
    </Link>
  )
}

/** A short interruption, such as a restart of the server, is not worth a banner. */
const MOST_INTERRUPTED_MS = 2000

/** What is shown may be wrong while it is not updated. */
function Offline() {
  const { isLive, since } = useConnectionState()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (isLive) return
    const timer = setTimeout(() => setLong(true), MOST_INTERRUPTED_MS)
    return () => clearTimeout(timer)
  }, [isLive])
  if (isLive || !isLong) return null
  return (
    <p
      role="alert"
      class="sticky top-0 z-30 border-b-2 border-degraded bg-surface px-4 py-2 font-medium text-degraded-text md:px-8 print:hidden"
    >
      {navigator.onLine
        ? t('Connection lost. Data from {timeOfDay}. Reconnecting…', { timeOfDay: timeOfDay(since) })
        : t('You are offline. Data from {timeOfDay}.', { timeOfDay: timeOfDay(since) })}
    </p>
  )
}

/** Shows whether live updates work, and otherwise the age of the data. */
function LiveDot() {
  const { isLive, since } = useConnectionState()
  return (
    <p role="status" class="flex max-w-48 items-center gap-2 px-3 py-2 text-xs text-balance text-muted">
      <span
        aria-hidden="true"
        class={`size-2 shrink-0 rounded-full ${isLive ? 'bg-up' : 'border-2 border-degraded'}`}
      />
      {isLive ? t('Live') : t('Reconnecting. Data from {since}', { since: timeOfDay(since) })}
    </p>
  )
}
