import type { UseQueryResult } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { t } from '../../lib/i18n.ts'
import { setTabTitle } from '../../lib/tab.ts'
import { LanguageSelect } from '../../ui/language-select.tsx'
import { Mark } from '../../ui/mark.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

interface SignInLayoutProps {
  readonly title: string
  /** Text below the title. */
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
  /** Links below the card. */
  readonly foot?: ComponentChildren
}

/** Layout of the screens before sign-in: product name and one card. */
export function SignInLayout({ title, lead, children, foot }: SignInLayoutProps) {
  useEffect(() => {
    setTabTitle(t('{title} · Pharos', { title }))
    // Browsers apply autofocus only after a page load.
    document.querySelector<HTMLElement>('main [autofocus]')?.focus()
  }, [title])
  return (
    <main class="mx-auto flex min-h-dvh w-full max-w-md flex-col px-4 py-8 sm:justify-center sm:py-12">
      <p class="mb-6 flex items-center justify-center gap-2 text-lg font-semibold">
        <Mark size={28} />
        {t('Pharos')}
      </p>
      <div class="card p-5 sm:p-8">
        <h1 class="text-lg font-semibold">{title}</h1>
        {lead && <div class="mt-1 text-muted">{lead}</div>}
        {children && <div class="mt-5 space-y-5">{children}</div>}
      </div>
      {foot && <div class="mt-5 text-center text-muted">{foot}</div>}
      <div class="mt-5 text-center text-muted">
        <LanguageSelect />
      </div>
    </main>
  )
}

/** For an address without its token. */
export function IncompleteLink({ href, label }: { href: string; label: string }) {
  return (
    <SignInLayout title={t('Incomplete link')} lead={t('Open the complete link from the e-mail.')}>
      <Link href={href} class="button w-full">
        {label}
      </Link>
    </SignInLayout>
  )
}

/** Makes submit buttons full width. */
export const wideForm = 'space-y-4 [&_button[type=submit]]:w-full'

/** "or" between two options. */
export function OrSeparator() {
  return (
    <div class="flex items-center gap-3 text-xs text-muted">
      <span class="h-px grow bg-line" />
      {t('or')}
      <span class="h-px grow bg-line" />
    </div>
  )
}

/** While what a screen needs is loading, and if that fails. */
export function SignInLoading({ title, query }: { title: string; query: UseQueryResult<unknown, unknown> }) {
  return (
    <SignInLayout title={title}>
      <QueryResult query={query}>{() => null}</QueryResult>
    </SignInLayout>
  )
}
