import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { t } from '../lib/i18n.ts'
import { returnToPlace } from '../lib/place-memory.ts'
import { setTabTitle } from '../lib/tab.ts'
import { ErrorNotice } from './notice.tsx'

interface PageProps {
  readonly title: string
  /** Replaces the text title. */
  readonly heading?: ComponentChildren
  readonly back?: { readonly href: string; readonly label: string }
  readonly actions?: ComponentChildren
  /** Text below the title. */
  readonly lead?: ComponentChildren
  /** Error of an action in the title bar. */
  readonly problem?: unknown
  /** Uses wide screens. Text and forms are easier to read in the normal width. */
  readonly wide?: boolean
  /** A single column of cards. */
  readonly narrow?: boolean
  readonly children: ComponentChildren
}

/** A screen. All begin at the same left edge, whatever their width. Sets the window title and focuses the h1 when the screen opens. */
export function Page({
  title,
  heading,
  back,
  actions,
  lead,
  problem,
  wide = false,
  narrow = false,
  children,
}: PageProps) {
  const h1 = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setTabTitle(t('{title} · Pharos', { title }))
  }, [title])
  useEffect(() => {
    if (returnToPlace()) return
    // Not after a page load, where the focus should stay at the top.
    if (window.history.state !== null || document.activeElement !== document.body)
      h1.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [])
  return (
    <div class={`w-full px-4 py-4 sm:py-6 md:px-8 ${wide ? 'max-w-[144rem]' : narrow ? 'max-w-4xl' : 'max-w-6xl'}`}>
      {back && (
        <Link href={back.href} class="mb-2 inline-block text-muted hover:underline">
          ← {back.label}
        </Link>
      )}
      <header class="mb-4 flex flex-wrap items-start gap-3 sm:mb-6">
        <div class="min-w-0 grow basis-48 sm:basis-80">
          <h1 ref={h1} tabIndex={-1} class="text-xl font-semibold">
            {heading ?? title}
          </h1>
          {lead && <div class="mt-1 text-muted">{lead}</div>}
        </div>
        {actions && <div class="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <ErrorNotice problem={problem} class="mb-6" />
      {children}
    </div>
  )
}

interface SectionProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A section with a heading. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section class="mb-8">
      <div class="mb-3 flex min-h-9 flex-wrap items-center gap-2">
        <div class="grow">
          <h2 class="text-base font-semibold">{title}</h2>
          {lead && <p class="text-muted">{lead}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  )
}
