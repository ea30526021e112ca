import { Check, X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import type { AppSchemas } from '../../api/client.ts'
import { useAbout, useGet, useMe } from '../../api/get.ts'
import { type Role, useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { type RunningAction, useRunningAction } from '../../lib/running-action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'

type Checklist = AppSchemas['SetupChecklist']

interface Step {
  readonly title: string
  readonly needs: Role
  readonly isDone: boolean
  readonly text: string
  readonly action: (props: { checklist: Checklist; doing: RunningAction }) => ComponentChildren
}

/** The steps after the first monitor. */
function stepsOf({ contact, unconfirmed, failing, testSent, statusPage, invited }: Checklist): readonly Step[] {
  return [
    {
      title: t('Add an alert contact'),
      needs: 'MEMBER',
      isDone: contact,
      text:
        failing !== null
          ? t('Alerts don’t reach {name}.', { name: failing.name })
          : unconfirmed === null
            ? t('Get a message when a monitor goes down: e-mail, chat, pager or webhook.')
            : t('{name} is waiting for confirmation. Open the link in the e-mail that we sent.', {
                name: unconfirmed.name,
              }),
      action: AddContact,
    },
    {
      title: t('Send a test alert'),
      needs: 'MEMBER',
      isDone: testSent,
      text: t('Make sure that alerts arrive before you need them.'),
      action: SendTest,
    },
    {
      title: t('Create a status page'),
      needs: 'MEMBER',
      isDone: statusPage,
      text: t('Show your users the current status, incidents and maintenance.'),
      action: () => <LinkButton href="/status-pages?new">{t('Create status page')}</LinkButton>,
    },
    {
      title: t('Invite your team'),
      needs: 'ADMIN',
      isDone: invited,
      text: t('Members see incidents and can acknowledge them.'),
      action: () => <LinkButton href="/settings/members?invite">{t('Invite people')}</LinkButton>,
    },
  ]
}

/** What is left to set up, until it is done or dismissed. Viewers can do none of it, so they don’t see it. */
export function SetupChecklist() {
  const { app, may, refresh } = useOrganization()
  const doing = useRunningAction()
  const canSee = may('MEMBER')
  const checklist = useGet('contact', '/app/api/setup-checklist', {
    enabled: canSee,
    // Steps are done on other screens.
    staleTime: 0,
  })
  if (!canSee || checklist.data === undefined || checklist.data.dismissed) return null
  const steps = stepsOf(checklist.data).filter(({ needs }) => may(needs))
  const done = steps.filter(({ isDone }) => isDone).length
  // The banner warns of a contact that failed after everything was set up.
  const left = steps.length - done - (checklist.data.failing === null ? 0 : 1)
  if (left === 0) return null
  const next = steps.find(({ isDone }) => !isDone)
  const set = async (dismissed: boolean) => {
    await app.POST('/app/api/setup-checklist/dismiss', { body: { dismissed } })
    await refresh('contact')
  }
  const dismiss = () =>
    doing.run('dismiss', async () => {
      await set(true)
      showToast(t('Setup checklist hidden'), {
        action: { label: t('Undo'), run: () => void set(false).catch((problem: Error) => showToast(problem.message)) },
      })
    })
  return (
    <section aria-labelledby="setup-heading" class="card @container mb-8 overflow-hidden">
      <header class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <h2 id="setup-heading" class="text-base font-semibold">
          {t('Finish setting up')}
        </h2>
        <Progress done={done} total={steps.length} />
        <Button
          look="quiet"
          class="ms-auto"
          busy={doing.busy === 'dismiss'}
          icon={<X />}
          onClick={() => void dismiss()}
        >
          {t('Dismiss')}
        </Button>
      </header>
      <ErrorNotice problem={doing.problem} class="mx-4 mb-3" />
      <ol
        class="divide-y divide-line border-t border-line @5xl:grid @5xl:divide-x @5xl:divide-y-0"
        style={{ gridTemplateColumns: `repeat(${steps.length}, minmax(0, 1fr))` }}
      >
        {steps.map((step, i) => (
          <StepRow key={step.title} step={step} number={i + 1} isNext={step === next}>
            <step.action checklist={checklist.data} doing={doing} />
          </StepRow>
        ))}
      </ol>
      <p class="border-t border-line px-4 py-2">
        <Link href="/settings/import" class="text-accent hover:underline">
          {t('Import from another tool')}
        </Link>
      </p>
    </section>
  )
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <p class="flex items-center gap-2 text-muted">
      <span class="h-1.5 w-24 overflow-hidden rounded bg-line" aria-hidden="true">
        <span class="block h-full bg-up" style={{ inlineSize: `${(done / total) * 100}%` }} />
      </span>
      {t('{done} of {total} done', { done, total })}
    </p>
  )
}

function StepRow(props: { step: Step; number: number; isNext: boolean; children: ComponentChildren }) {
  const { step, number, isNext, children } = props
  return (
    <li
      class={`flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 @5xl:content-start @5xl:items-start @5xl:py-4 ${isNext ? 'bg-accent-soft' : ''}`}
    >
      <span
        aria-hidden="true"
        class={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold ${step.isDone ? 'bg-up-text text-surface' : 'border border-line-strong'}`}
      >
        {step.isDone ? <Check size={14} /> : number}
      </span>
      <div class="min-w-0 grow basis-56 @5xl:basis-40">
        <p class={step.isDone ? 'text-muted line-through' : 'font-medium'}>
          {step.title}
          {step.isDone && <span class="sr-only">{t(': done')}</span>}
        </p>
        {!step.isDone && <p class={isNext ? '' : 'text-muted'}>{step.text}</p>}
      </div>
      {!step.isDone && <div class="flex min-w-0 flex-wrap gap-2 @max-xl:ps-9 @5xl:w-full @5xl:ps-9">{children}</div>}
    </li>
  )
}

/** One click for the user's own address; other channels have a form. */
function AddContact({ checklist, doing }: { checklist: Checklist; doing: RunningAction }) {
  const { api, refresh } = useOrganization()
  const about = useAbout()
  const me = useMe()
  const { unconfirmed, failing } = checklist
  if (failing !== null) return <LinkButton href="/settings/contacts">{t('Alert contacts')}</LinkButton>
  if (unconfirmed !== null) {
    const resend = async () => {
      const path = { contactId: unconfirmed.id }
      const { confirmed } = await api.POST('/api/v1/contacts/{contactId}/confirmation', { path })
      showToast(confirmed ? t('{name} confirmed', { name: unconfirmed.name }) : t('Confirmation e-mail sent'))
      await refresh('contact')
    }
    return (
      <>
        <Button busy={doing.busy === 'resend'} onClick={() => void doing.run('resend', resend)}>
          {t('Resend confirmation')}
        </Button>
        <LinkButton href="/settings/contacts">{t('Alert contacts')}</LinkButton>
      </>
    )
  }
  const user = me.data?.user
  const add = async (address: string, name: string) => {
    const body = { name, channel: 'EMAIL', settings: { address } } as const
    const { confirmed } = await api.POST('/api/v1/contacts', { body })
    showToast(
      confirmed ? t('Alerts go to {address}', { address }) : t('Confirmation e-mail sent to {address}', { address }),
    )
    await refresh('contact')
  }
  const canMail = about.data?.mail === true && user !== undefined
  return (
    <>
      {canMail && <p class="w-full text-xs break-all text-muted">{user.email}</p>}
      {canMail && (
        <Button
          look="primary"
          title={user.email}
          busy={doing.busy === 'contact'}
          onClick={() => void doing.run('contact', () => add(user.email, user.name || user.email))}
        >
          {t('Alert me by e-mail')}
        </Button>
      )}
      <LinkButton href="/settings/contacts?new">{canMail ? t('Other channel') : t('Add alert contact')}</LinkButton>
    </>
  )
}

function SendTest({ checklist: { testable }, doing }: { checklist: Checklist; doing: RunningAction }) {
  const { api, refresh } = useOrganization()
  if (testable === null) return <span class="text-muted">{t('After the first step')}</span>
  const send = async () => {
    const path = { contactId: testable.id }
    const { sent, error } = await api.POST('/api/v1/contacts/{contactId}/test', { path })
    await refresh('contact')
    if (!sent) throw new Error(t('The test to {name} failed. {value}', { name: testable.name, value: error ?? '' }))
    showToast(t('Test sent to {name}', { name: testable.name }))
  }
  return (
    <Button title={testable.name} busy={doing.busy === 'test'} onClick={() => void doing.run('test', send)}>
      {t('Send test alert')}
    </Button>
  )
}
