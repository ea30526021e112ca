import { useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { shortTime } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Field, Form, SelectField } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { ImportReport } from './import-report.tsx'
import { type Tool, toolName, tools, uploadImport } from './import-tools.ts'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Imports from other tools: upload, report, next steps. */
export default function Import() {
  const [search, setSearch] = useSearchState()
  const { may } = useOrganization()
  const id = search.get('id')
  if (id !== null) return <ImportReport id={id} key={id} />
  return (
    <Page
      narrow
      title={t('Import')}
      lead={t('Bring monitors, contacts and status pages from another tool. Nothing changes until you confirm.')}
    >
      {may('MEMBER') && <Upload onUploaded={(uploaded) => setSearch({ id: uploaded })} />}
      <Imports />
    </Page>
  )
}

function Upload({ onUploaded }: { onUploaded: (id: string) => void }) {
  const { organization, refresh } = useOrganization()
  const [tool, setTool] = useState<Tool>('kuma')
  const [files, setFiles] = useState<readonly File[]>([])
  const [progress, setProgress] = useState<number>()
  const upload = async () => {
    try {
      const { id } = await uploadImport(organization.id, tool, files, setProgress)
      await refresh('import')
      onUploaded(id)
    } finally {
      setProgress(undefined)
    }
  }
  return (
    <div class="card mb-8 p-4">
      <Form action={t('Upload')} onSubmit={upload}>
        <SelectField label={t('Tool')} path="source" value={tool} onValue={setTool} choices={tools} />
        <Field label={t('Files')} path="body" hint={tools.find(({ value }) => value === tool)?.files}>
          {(attributes) => (
            <input
              {...attributes}
              class="input h-auto py-1.5"
              type="file"
              multiple
              required
              onChange={(event) => setFiles([...(event.currentTarget.files ?? [])])}
            />
          )}
        </Field>
        {progress !== undefined && <Progress part={progress} />}
      </Form>
    </div>
  )
}

function Progress({ part }: { part: number }) {
  const text = part < 1 ? t('Uploading…') : t('Reading the files…')
  return (
    <div role="status">
      <p class="mb-1 text-muted">{text}</p>
      <progress class="h-2 w-full accent-accent" aria-label={text} {...(part < 1 && { value: part })} />
    </div>
  )
}

function Imports() {
  const imports = useGet('import', '/api/v1/imports', { query: { limit: 100 } })
  return (
    <QueryResult query={imports}>
      {({ data }) =>
        data.length === 0 ? null : (
          <Section title={t('Open imports')} lead={t('Imports stay here until their next steps are done.')}>
            <Rows label={t('Open imports')}>
              {data.map((one) => (
                <ImportRow key={one.id} one={one} />
              ))}
            </Rows>
          </Section>
        )
      }
    </QueryResult>
  )
}

function ImportRow({ one }: { one: PublicSchemas['Import'] }) {
  const { mapped, mappedWithLosses, notSupported } = one.counts
  return (
    <Row
      title={
        <>
          {toolName(one.source)}{' '}
          {one.appliedAt === null ? (
            <Tag tone="warn">{t('Not imported yet')}</Tag>
          ) : (
            <Tag tone="good">{t('Imported')}</Tag>
          )}
        </>
      }
      details={
        <Facts>
          {[
            shortTime(one.createdAt),
            plural(mapped + mappedWithLosses, 'object'),
            notSupported > 0 && t('{count} not supported', { count: notSupported }),
            one.expiresAt !== null && t('kept until {time}', { time: shortTime(one.expiresAt) }),
          ]}
        </Facts>
      }
      actions={
        <LinkButton href={`/settings/import?id=${one.id}`}>
          {one.appliedAt === null ? t('Review') : t('Next steps')}
        </LinkButton>
      }
    />
  )
}
