import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { Clients, PublicSchemas } from '../../api/client.ts'
import { useContacts } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { listOf } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton, Dialog } from '../../ui/dialog.tsx'
import { Filter } from '../../ui/filter.tsx'
import { CheckboxField, Form } from '../../ui/form.tsx'
import { ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { screenOf } from './audit-sentence.tsx'
import { NextSteps } from './import-next-steps.tsx'
import { toolName } from './import-tools.ts'

type Report = PublicSchemas['ImportReport']
type ReportObject = Report['objects'][number]
type Plan = PublicSchemas['ConfigurationPlan']

const back = { href: '/settings/import', label: t('Import') }

/** What becomes of the objects of uploaded files, which of them to import, and what is left to do afterwards. */
export function ImportReport({ id }: { id: string }) {
  const { api, key } = useOrganization()
  const report = useQuery({ queryKey: key('import', id), queryFn: () => wholeReport(api, id) })
  if (report.data === undefined) return <ResourcePage query={report} title={t('Import')} back={back} />
  return <Loaded report={report.data} />
}

/** All pages of the report. At most 5,000 objects are listed. */
async function wholeReport(api: Clients['api'], importId: string): Promise<Report> {
  const ask = (offset: number) => api.GET('/api/v1/imports/{importId}', { path: { importId }, query: { offset } })
  let report = await ask(0)
  while (report.objects.length < report.pagination.total) {
    const { objects } = await ask(report.objects.length)
    if (objects.length === 0) break
    report = { ...report, objects: [...report.objects, ...objects] }
  }
  return report
}

function Loaded({ report }: { report: Report }) {
  const { may } = useOrganization()
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const isOpen = report.appliedAt === null && may('MEMBER')
  const title = t('Import from {tool}', { tool: toolName(report.source) })
  return (
    <Page narrow title={title} back={back} actions={may('MEMBER') && <Remove report={report} />}>
      {report.appliedAt !== null && <NextSteps report={report} />}
      {report.unreadable.length > 0 && (
        <InfoNotice class="mb-6">
          <p class="font-medium">{t('Parts of the files could not be read')}</p>
          <ul class="list-disc ps-5">
            {report.unreadable.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </InfoNotice>
      )}
      <Groups report={report} left={isOpen ? left : undefined} onLeft={setLeft} />
      {isOpen && <Apply report={report} left={left} />}
    </Page>
  )
}

const groups = [
  { title: t('Imported completely'), outcomes: ['MAPPED', 'NOT_A_MONITOR'], isOpen: false },
  { title: t('Imported with losses'), outcomes: ['MAPPED_WITH_LOSSES'], isOpen: true },
  { title: t('Not supported'), outcomes: ['NOT_SUPPORTED'], isOpen: true },
] as const

interface GroupsProps {
  readonly report: Report
  /** The keys that are not imported; undefined if nothing can be chosen. */
  readonly left: ReadonlySet<string> | undefined
  readonly onLeft: (keys: ReadonlySet<string>) => void
}

function Groups({ report, left, onLeft }: GroupsProps) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const matching = report.objects.filter(({ name, kind }) => `${name} ${kind}`.toLowerCase().includes(wanted))
  return (
    <>
      <div class="card mb-4">
        <Filter label={t('Filter objects')} value={filter} onValue={setFilter} />
      </div>
      {groups.map(({ title, outcomes, isOpen }) => {
        const objects = matching.filter(({ outcome }) => (outcomes as readonly string[]).includes(outcome))
        return (
          <details key={title} class="card mb-4" open={isOpen || wanted !== ''}>
            <summary class="touch cursor-pointer px-4 py-3 font-semibold">
              {title} <span class="font-normal text-muted">({objects.length})</span>
            </summary>
            <ul class="divide-y divide-line border-t border-line" aria-label={title}>
              {objects.map((object) => (
                <ObjectRow key={`${object.kind} ${object.sourceId}`} object={object} left={left} onLeft={onLeft} />
              ))}
              {objects.length === 0 && <li class="px-4 py-3 text-muted">{t('None')}</li>}
            </ul>
          </details>
        )
      })}
    </>
  )
}

function ObjectRow({ object, left, onLeft }: Omit<GroupsProps, 'report'> & { object: ReportObject }) {
  const { key, name, kind, losses, reason, resourceId } = object
  const toggle = (isOn: boolean) => {
    const next = new Set(left)
    if (isOn) next.delete(key as string)
    else next.add(key as string)
    onLeft(next)
  }
  const title = (
    <>
      <span class="font-medium">{name}</span> <span class="text-muted">{kind}</span>
    </>
  )
  const path = resourceId === null ? undefined : screenOf(resourceId)
  return (
    <li class="px-4 py-2">
      {left !== undefined && key !== null ? (
        <label class="touch flex items-center gap-2">
          <input
            type="checkbox"
            class="size-4 shrink-0 accent-accent"
            checked={!left.has(key)}
            onChange={(event) => toggle(event.currentTarget.checked)}
          />
          <span>{title}</span>
        </label>
      ) : path === undefined ? (
        title
      ) : (
        <Link href={path} class="hover:underline">
          {title}
        </Link>
      )}
      {[...losses, ...(reason === null ? [] : [reason])].map((text) => (
        <p key={text} class="ps-6 text-muted">
          {text}
        </p>
      ))}
    </li>
  )
}

function Apply({ report, left }: { report: Report; left: ReadonlySet<string> }) {
  const { api, refresh } = useOrganization()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [plan, setPlan] = useState<Plan>()
  const [alertNow, setAlertNow] = useState(false)
  const doing = useRunningAction()
  const keys = report.objects.flatMap(({ key }) => (key === null || left.has(key) ? [] : [key]))
  const path = { importId: report.id }
  const preview = async () => {
    // With all objects, also those that are not listed.
    const body = { ...(left.size > 0 && { keys }), variableValues: values, alertNow }
    setPlan(await api.POST('/api/v1/imports/{importId}/plan', { path, body }))
  }
  const apply = async (planId: string) => {
    await api.POST('/api/v1/imports/{importId}/apply', { path, body: { planId } })
    await refresh('import', 'monitor', 'contact', 'status_page', 'maintenance')
    showToast(t('Imported'))
  }
  return (
    <>
      {report.variables.map((name) => (
        <label key={name} class="mb-3 block">
          <span class="mb-1 block font-medium">{t('Value of {name}', { name })}</span>
          <input
            class="input"
            type="password"
            autocomplete="off"
            value={values[name] ?? ''}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <AlertNow value={alertNow} onValue={setAlertNow} />
      <ErrorNotice problem={doing.problem} class="mb-3" />
      <div class="sticky bottom-14 bg-ground py-2 md:bottom-0">
        <Button
          look="primary"
          busy={doing.busy !== null}
          disabled={keys.length === 0}
          onClick={() => void doing.run('preview', preview)}
        >
          {t('Import {objects}', { objects: plural(keys.length, 'object') })}
        </Button>
      </div>
      {plan !== undefined && (
        <Dialog title={t('Import from {tool}?', { tool: toolName(report.source) })} onClose={() => setPlan(undefined)}>
          <Form action={t('Import')} onSubmit={() => apply(plan.planId)} onCancel={() => setPlan(undefined)}>
            <PlanText plan={plan} alertNow={alertNow} />
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** Contacts that exist and cover all monitors would be alerted of what the other tool alerts of. */
function AlertNow({ value, onValue }: { value: boolean; onValue: (value: boolean) => void }) {
  const covering = (useContacts().data ?? []).filter(({ enabled, covers }) => enabled && covers === 'ALL')
  const names = covering.map(({ name }) => name)
  const listed = names.length > 3 ? [...names.slice(0, 3), t('{count} more', { count: names.length - 3 })] : names
  return (
    <div class="mb-3">
      <CheckboxField
        label={t('Alert from the start')}
        hint={
          names.length === 0
            ? t('Otherwise imported monitors are muted for 7 days, or until you finish the import.')
            : t(
                'This would alert {contacts}. Otherwise imported monitors are muted for 7 days, or until you finish the import.',
                { contacts: listOf(listed) },
              )
        }
        value={value}
        onValue={onValue}
      />
    </div>
  )
}

function PlanText({ plan: { summary }, alertNow }: { plan: Plan; alertNow: boolean }) {
  return (
    <>
      <ul class="mb-2 list-disc ps-5">
        <li>{t('{count} created', { count: summary.create })}</li>
        {summary.update > 0 && <li>{t('{count} changed', { count: summary.update })}</li>}
        {summary.none > 0 && <li>{t('{count} unchanged', { count: summary.none })}</li>}
        {summary.release > 0 && (
          <li>
            {t('{count} from an earlier import kept, but no longer updated by imports', { count: summary.release })}
          </li>
        )}
      </ul>
      <p>
        {alertNow
          ? t('Checks and alerts start right away. Imported contacts stay disabled until you finish the import.')
          : t('Checks start right away. Nobody is alerted until you finish the import, for 7 days at most.')}
      </p>
    </>
  )
}

function Remove({ report: { id, appliedAt } }: { report: Report }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const remove = async () => {
    await api.DELETE('/api/v1/imports/{importId}', { path: { importId: id } })
    await refresh('import')
    navigate('/settings/import')
  }
  return (
    <ConfirmButton
      label={appliedAt === null ? t('Discard…') : t('All done…')}
      title={appliedAt === null ? t('Discard this import?') : t('Close this import?')}
      action={appliedAt === null ? t('Discard') : t('Close')}
      onConfirm={remove}
    >
      {t('The report is deleted. Everything that was imported stays.')}
    </ConfirmButton>
  )
}
