import { sql } from 'kysely'

/** Whether a page shows window `w`: it lists the page, or it lists no pages and covers a monitor on this page. */
export function isShownOn(orgId: string, pageId: string) {
  return sql<boolean>`(
    w.id in (select window_id from maintenance_pages where org_id = ${orgId} and page_id = ${pageId})
    or (w.status_page_ids = '[]' and (
      (w.all_monitors = 1 and exists (
        select 1 from status_page_monitors where org_id = ${orgId} and page_id = ${pageId}))
      or w.id in (
        select m.window_id from maintenance_monitors m
        join status_page_monitors p on p.org_id = m.org_id and p.num = m.num
        where m.org_id = ${orgId} and p.page_id = ${pageId}))))`
}
