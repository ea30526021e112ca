import { useContext, useState } from 'preact/hooks'
import { RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { FormErrors } from '../../ui/field-group.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import type { Test } from './assertion-builder.tsx'
import { bodyOf, type Draft } from './draft.ts'
import { TestResult } from './test-result.tsx'

type Options = NonNullable<PublicSchemas['TryMonitor']['options']>

interface Outcome {
  /** The settings that were tested. */
  readonly of: string
  readonly options: Options
  readonly tried?: PublicSchemas['TestResult']
  readonly problem?: unknown
}

interface SettingsTest extends Omit<Test, 'run'> {
  readonly problem: unknown
  readonly isOutdated: boolean
  /** Resolves with faults in fields of the options. */
  start(): Promise<RequestError | null>
}

/** Tests the settings of the form, with the secrets of the stored monitor. Several parts of the form show what the test found. */
export function useSettingsTest(draft: Draft, options: Options, monitorId: string | undefined): SettingsTest {
  const { api } = useOrganization()
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const settings = JSON.stringify({ ...draft, name: '', options })
  return {
    tried: outcome?.tried,
    assertions: outcome?.options.assertions?.assertions ?? [],
    problem: outcome?.problem,
    isBusy,
    isOutdated: outcome !== undefined && outcome.of !== settings,
    async start() {
      setBusy(true)
      try {
        const body = { ...bodyOf(draft), options, ...(monitorId !== undefined && { monitorId }) }
        const tried = await api.POST('/api/v1/monitors/try', { body })
        setOutcome({ of: settings, options, tried })
        return null
      } catch (problem) {
        const faults = optionFaults(problem)
        setOutcome(faults === null ? { of: settings, options, problem } : undefined)
        return faults
      } finally {
        setBusy(false)
      }
    },
  }
}

/** Inside the form, whose faults are shown first. */
function useStart({ start }: SettingsTest): () => void {
  const { validate, fail } = useContext(FormErrors)
  return () => {
    if (validate()) void start().then((faults) => faults && fail(faults))
  }
}

/** A test takes all options at once; the fields of the form are named as in the resource of each. */
function optionFaults(problem: unknown): RequestError | null {
  if (!(problem instanceof RequestError) || problem.details.length === 0) return null
  if (!problem.details.every(({ path }) => path.startsWith('options.'))) return null
  const details = problem.details.map(({ path, message }) => ({ path: path.replace(/^options\.\w+\./, ''), message }))
  return new RequestError({ ...problem, message: t('Please fix the fields above'), details })
}

export function TestedAssertions(props: { field: (test: Test) => preact.JSX.Element | null; test: SettingsTest }) {
  return props.field({ ...props.test, run: useStart(props.test) })
}

export function TestSettings({ test }: { test: SettingsTest }) {
  const { isBusy, isOutdated, tried, problem } = test
  const run = useStart(test)
  return (
    <div class="space-y-3">
      <div class="flex flex-wrap items-center gap-3">
        <Button busy={isBusy} onClick={run}>
          {t('Run test')}
        </Button>
        <span class={isOutdated ? 'text-degraded-text' : 'text-muted'} role="status">
          {isOutdated ? t('Outdated: the settings changed since this test.') : t('Doesn’t save anything.')}
        </span>
      </div>
      {tried && <TestResult tried={tried} />}
      {problem !== undefined && !isOutdated && <ErrorNotice problem={problem} />}
    </div>
  )
}
