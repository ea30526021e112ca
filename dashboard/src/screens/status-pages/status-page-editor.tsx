import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { ExternalLink } from 'lucide-preact'
import { useLocation } from 'wouter-preact'
import { fieldErrorAt, RequestError, toRequestError } from '../../api/api-error.ts'
import { useGet } from '../../api/get.ts'
import { useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t, tx } from '../../lib/i18n.ts'
import { type RunningAction, useRunningAction } from '../../lib/running-action.ts'
import { markSaved, writeDraft } from '../../lib/unsaved-forms.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { DriftWarning, ManagedBy } from '../../ui/managed.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useDraftKey } from '../../ui/use-form-draft.ts'
import { fieldInConflict, selectorError, selectorsOn } from './draft.ts'
import { OverallStatusLabel, PublishedLabel, type StatusPage } from './overall-status.tsx'
import { Preview } from './preview.tsx'
import { type SectionSelectors, saveSelectors, useSectionSelectors } from './section-selectors.ts'
import { SectionsEditor } from './sections-editor.tsx'
import { AccessFields, AddressFields, AppearanceFields, Part } from './settings-fields.tsx'
import { Subscribers } from './subscribers.tsx'
import { useDraft } from './use-draft.ts'

const back = { href: '/status-pages', label: t('Status pages') }

export default function StatusPageEditor({ id }: { id: string }) {
  const { api, key } = useOrganization()
  const page = useQuery({
    queryKey: key('status_page', id),
    queryFn: () => api.GET('/api/v1/status-pages/{statusPageId}', { path: { statusPageId: id } }),
  })
  const selectors = useSectionSelectors(id)
  if (page.data !== undefined && selectors.data !== undefined) {
    return <Editor page={page.data} selectors={selectors.data} />
  }
  return <ResourcePage query={page.data === undefined ? page : selectors} title={t('Status page')} back={back} />
}

interface EditorProps {
  readonly page: StatusPage
  readonly selectors: SectionSelectors
}

function Editor({ page, selectors }: EditorProps) {
  const { may } = useOrganization()
  const doing = useRunningAction()
  const mayWrite = may('MEMBER')
  return (
    <Page
      wide
      title={page.name}
      back={back}
      problem={doing.problem}
      lead={
        <span class="flex flex-wrap items-center gap-x-4">
          <PublishedLabel page={page} />
          <OverallStatusLabel page={page} />
          <ManagedBy kind="status_page" id={page.id} />
        </span>
      }
      actions={
        <>
          {page.published && (
            <a class="button" href={page.url} target="_blank" rel="noreferrer">
              <ExternalLink />
              {t('View page')}
            </a>
          )}
          {mayWrite && <PublishButton page={page} doing={doing} />}
          {mayWrite && <DeleteButton page={page} />}
        </>
      }
    >
      <EditorForm page={page} selectors={selectors} />
      <Subscribers page={page} />
    </Page>
  )
}

function EditorForm({ page, selectors }: EditorProps) {
  const { may } = useOrganization()
  const monitors = useMonitorNames()
  const form = useDraft({ page, selectors })
  const { draft, change, isDirty, isRestored, isPartial, hasNewerVersion, discard } = form
  const save = useSave(page, selectors, form)
  const fields = { page, draft, onChange: change }
  const isReader = !may('MEMBER')
  const unsaved =
    isDirty && !isReader ? JSON.stringify({ page: form.changes(), selectors: form.changedSelectors }) : undefined
  const content = (
    <>
      <Part title={t('Sections and monitors')} open>
        <SectionsEditor
          sections={draft.sections}
          onChange={(sections) => change({ sections })}
          monitors={monitors.data ?? []}
          disabled={isReader}
        />
      </Part>
      <Part title={t('Name and address')}>
        <AddressFields {...fields} />
      </Part>
      <Part title={t('Access')}>
        <AccessFields {...fields} />
      </Part>
      <Part title={t('Appearance')}>
        <AppearanceFields {...fields} />
      </Part>
    </>
  )
  return (
    <div class="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
      {isReader ? (
        <fieldset disabled class="min-w-0 space-y-3">
          <legend class="mb-3 text-muted">
            {t('Viewers can’t edit status pages. Ask an admin for the Member role.')}
          </legend>
          {content}
        </fieldset>
      ) : (
        <Form
          onSubmit={save}
          action={t('Save')}
          class="min-w-0 space-y-3"
          bar="sticky bottom-14 z-10 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-ground py-3 md:bottom-0"
          extra={
            isDirty && (
              <>
                <span class="grow font-medium text-degraded-text" role="status">
                  {t('Unsaved changes')}
                </span>
                <Button onClick={discard}>{t('Discard')}</Button>
              </>
            )
          }
        >
          <RestoredNotice form={{ isRestored: isRestored && isDirty, isPartial }} />
          {isDirty && <DriftWarning kind="status_page" id={page.id} />}
          {hasNewerVersion && isDirty && (
            <InfoNotice>
              {t('Someone else has saved this page. Saving overwrites only the fields you changed.')}
            </InfoNotice>
          )}
          {content}
        </Form>
      )}
      <Preview pageId={page.id} version={`${page.updatedAt} ${JSON.stringify(selectors)}`} draft={unsaved} />
    </div>
  )
}

/** Saves the page, then the selectors of its sections, which the page must have by then. */
function useSave(page: StatusPage, selectors: SectionSelectors, form: ReturnType<typeof useDraft>) {
  const { api, key, refresh } = useOrganization()
  const queries = useQueryClient()
  const savePage = async (): Promise<StatusPage> => {
    const body = form.changes()
    if (Object.keys(body).length === 0) return page
    const path = { statusPageId: page.id }
    return await api.PATCH('/api/v1/status-pages/{statusPageId}', { path, body }).catch((thrown) => {
      const { code, message } = toRequestError(thrown)
      const field = code === 'conflict' ? fieldInConflict(body, message) : undefined
      throw field === undefined ? thrown : fieldErrorAt(field, message)
    })
  }
  const selectorsAfter = async (after: StatusPage): Promise<SectionSelectors> => {
    if (form.changedSelectors === undefined) return selectorsOn(after, selectors)
    return await saveSelectors(api, page.id, form.changedSelectors).catch((thrown) => {
      if (after === page) throw thrown
      form.pageSaved(after)
      void refresh('status_page')
      const { message, ...rest } = toRequestError(thrown)
      throw new RequestError({
        ...rest,
        message: t('The page is saved, but its label selectors are not. {message}', { message }),
      })
    })
  }
  return async () => {
    const fault = selectorError(form.draft)
    if (fault !== undefined) throw fault
    const after = await savePage()
    const selectorsSaved = await selectorsAfter(after)
    queries.setQueryData(key('status_page', page.id), after)
    queries.setQueryData(key('status_page', 'selectors', page.id), selectorsSaved)
    form.saved({ page: after, selectors: selectorsSaved })
    showToast(t('Status page saved'))
    await refresh('status_page')
  }
}

function DeleteButton({ page }: { page: StatusPage }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const draftKey = useDraftKey(`status-page.${page.id}`)
  const remove = async () => {
    await api.DELETE('/api/v1/status-pages/{statusPageId}', { path: { statusPageId: page.id } })
    writeDraft(draftKey, null)
    markSaved(draftKey)
    showToast(t('Status page deleted'))
    navigate('/status-pages')
    void refresh('status_page', 'status_incident')
  }
  return (
    <ConfirmButton
      label={t('Delete')}
      look="danger"
      title={t('Delete {name}?', { name: page.name })}
      action={t('Delete permanently')}
      typed={page.slug}
      onConfirm={remove}
    >
      <ul class="ms-5 list-disc space-y-1">
        <li>{t('The page, its feeds, calendar and badge stop working.')}</li>
        <li>
          {tx('The address {name}', { name: <strong>{page.slug}</strong> })}
          {page.customDomain !== null && (
            <> {tx('and the domain {name}', { name: <strong>{page.customDomain}</strong> })}</>
          )}{' '}
          {t('become available to others.')}
        </li>
        {page.subscribersEnabled && <li>{t('Its subscribers are deleted.')}</li>}
        <IncidentsOf pageId={page.id} />
        <li>{t('Monitors and their history are kept.')}</li>
      </ul>
    </ConfirmButton>
  )
}

function IncidentsOf({ pageId }: { pageId: string }) {
  const query = { statusPageId: pageId, limit: 1 }
  const { data } = useGet('status_incident', '/api/v1/status-incidents', { query })
  const count = data?.pagination.total ?? 0
  if (count === 0) return null
  return <li>{tx('{count} will no longer be shown on it.', { count: plural(count, 'published incident') })}</li>
}

interface PublishButtonProps {
  readonly page: StatusPage
  readonly doing: RunningAction
}

/** Publishes at once; asks before unpublishing. */
function PublishButton({ page, doing }: PublishButtonProps) {
  const { api, refresh } = useOrganization()
  const set = async (published: boolean) => {
    const path = { statusPageId: page.id }
    await api.PATCH('/api/v1/status-pages/{statusPageId}', { path, body: { published } })
    await refresh('status_page')
    showToast(published ? t('Status page published') : t('Status page unpublished'))
  }
  if (!page.published) {
    return (
      <Button look="primary" busy={doing.busy !== null} onClick={() => void doing.run('publish', () => set(true))}>
        {t('Publish')}
      </Button>
    )
  }
  return (
    <ConfirmButton
      label={t('Unpublish')}
      title={t('Unpublish this page?')}
      action={t('Unpublish')}
      onConfirm={() => set(false)}
    >
      <p>{t('The page, its feeds, calendar and badge stop working until you publish it again. Nothing is deleted.')}</p>
    </ConfirmButton>
  )
}
