import { Megaphone } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { listOf } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { AbsoluteTime } from '../../ui/time.tsx'

const MAX_NAMES = 3

/** Published incidents that status pages still show although their monitors are up again: all, or only these. */
export function OutlivedNotice({ ids }: { ids?: readonly string[] }) {
  // A recovery resolves an incident, and a change of a published one refreshes this kind, too.
  const { data } = useGet('incident', '/api/v1/outlived-incidents')
  const shown = data?.data.filter(({ id }) => ids === undefined || ids.includes(id)) ?? []
  if (shown.length === 0) return null
  return (
    <aside aria-label={t('Published incidents to resolve')} class="mb-6 space-y-3">
      {shown.map(({ id, title, upSince, monitors }) => {
        const names = monitors.slice(0, MAX_NAMES).map(({ name }) => name)
        const rest = monitors.length - names.length
        const values = {
          monitors: listOf(rest > 0 ? [...names, t('{count} more', { count: rest })] : names),
          time: <AbsoluteTime at={upSince} />,
        }
        return (
          <div
            key={id}
            class="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-degraded bg-surface px-4 py-3"
          >
            <Megaphone size={20} class="shrink-0 text-degraded-text" />
            <div class="min-w-0 grow basis-64 wrap-anywhere">
              <p class="font-semibold">
                {monitors.length === 1
                  ? tx('{monitors} is up again since {time}.', values)
                  : tx('{monitors} are up again since {time}.', values)}
              </p>
              <p>{tx('Status pages still show “{title}”.', { title })}</p>
            </div>
            <Link href={`/published/${id}?resolve`} class="link touch font-medium">
              {t('Resolve…')}
            </Link>
          </div>
        )
      })}
    </aside>
  )
}
