import { lazy } from 'preact/compat'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { settingsItems } from './sections.ts'

/** Each tab is a separate chunk. */
const screens: Readonly<Record<string, () => preact.JSX.Element>> = {
  organization: lazy(() => import('./organization.tsx')),
  members: lazy(() => import('./members.tsx')),
  contacts: lazy(() => import('./contacts.tsx')),
  import: lazy(() => import('./import.tsx')),
  'shadow-run': lazy(() => import('./shadow-runs/shadow-runs.tsx')),
  keys: lazy(() => import('./keys.tsx')),
  audit: lazy(() => import('./audit.tsx')),
  account: lazy(() => import('./account.tsx')),
}

export default function Settings({ part: wanted }: { part: string }) {
  const { may } = useOrganization()
  const part = settingsItems.find(({ path }) => path === wanted)
  const Screen = screens[wanted]
  return (
    <div>
      <div class="sticky top-0 z-10 border-b border-line bg-ground">
        {/* The ends fade, so that tabs outside of the screen look cut off on purpose. */}
        <nav
          aria-label={t('Settings')}
          class="flex gap-0.5 overflow-x-auto px-6 py-2 md:px-[1.375rem] max-lg:mask-x-from-[calc(100%-1.75rem)]"
        >
          {settingsItems
            .filter(({ needs }) => may(needs))
            .map(({ path, name }) => (
              <PartLink key={path} path={path} name={name} isHere={path === wanted} />
            ))}
        </nav>
      </div>
      {part === undefined || Screen === undefined ? (
        <NoSuchPart />
      ) : may(part.needs) ? (
        <Screen key={wanted} />
      ) : (
        <NotYours name={part.name} />
      )}
    </div>
  )
}

function PartLink({ path, name, isHere }: { path: string; name: string; isHere: boolean }) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    // Scrolls to the active tab where not all of them fit.
    const centre = () => {
      const [one, strip] = [link.current, link.current?.parentElement]
      if (isHere && one && strip) strip.scrollLeft = one.offsetLeft - (strip.clientWidth - one.offsetWidth) / 2
    }
    centre()
    window.addEventListener('resize', centre)
    return () => window.removeEventListener('resize', centre)
  }, [isHere])
  return (
    <Link
      ref={link}
      href={`/settings/${path}`}
      aria-current={isHere ? 'page' : undefined}
      class={`touch flex shrink-0 items-center rounded-md px-2.5 py-1.5 ${isHere ? 'bg-accent-soft font-semibold text-accent' : 'hover:bg-surface'}`}
    >
      {name}
    </Link>
  )
}

function NotYours({ name }: { name: string }) {
  return (
    <Page title={name}>
      <EmptyState title={t('Admins and owners only')}>{t('Ask an owner or admin for the Admin role.')}</EmptyState>
    </Page>
  )
}

function NoSuchPart() {
  return (
    <Page title={t('Not found')}>
      <EmptyState
        title={t('Page not found')}
        action={<LinkButton href="/settings/organization">{t('Settings')}</LinkButton>}
      />
    </Page>
  )
}
