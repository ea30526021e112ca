import type { UseInfiniteQueryResult } from '@tanstack/preact-query'
import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

/** Below a list, newest first: loads its next page. */
export function ShowOlder({ query }: { query: UseInfiniteQueryResult<unknown> }) {
  return (
    <>
      {query.isFetchNextPageError && <ErrorNotice problem={query.error} />}
      {query.hasNextPage && (
        <div class="mt-4 flex justify-center">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('Show older')}
          </Button>
        </div>
      )}
    </>
  )
}
