import { number } from '../lib/format.ts'
import { t, tx } from '../lib/i18n.ts'
import { Button } from './button.tsx'

interface PagerProps {
  readonly offset: number
  readonly limit: number
  readonly total: number
  readonly onOffset: (offset: number) => void
}

/** "51 – 100 of 1,204" with previous and next. Hidden if there is one page. */
export function Pager({ offset, limit, total, onOffset }: PagerProps) {
  if (total <= limit && offset === 0) return null
  const last = Math.min(total, offset + limit)
  return (
    <nav class="mt-4 flex items-center justify-end gap-2" aria-label={t('Pages')}>
      <span class="me-2 text-muted">
        {tx('{value} – {last} of {total}', {
          value: number(offset + 1),
          last: number(last),
          total: number(total),
        })}
      </span>
      <Button disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
        {t('Previous')}
      </Button>
      <Button disabled={last >= total} onClick={() => onOffset(offset + limit)}>
        {t('Next')}
      </Button>
    </nav>
  )
}
