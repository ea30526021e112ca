import { useQueryClient } from '@tanstack/preact-query'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { unwrap, userApp } from '../../api/client.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Form } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { homePath, useAbout } from './after-sign-in.ts'
import { useOwnerFields } from './owner-fields.tsx'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Creates the first user of an installation, with the printed setup link. */
export default function SetUp() {
  const about = useAbout()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  if (about.data === undefined) {
    return (
      <SignInLayout title="Set up Pharos">
        <QueryResult query={about}>{() => null}</QueryResult>
      </SignInLayout>
    )
  }
  if (!about.data.setupNeeded) return <Claimed />
  return token === '' ? <WhereIsTheLink /> : <FirstUser token={token} />
}

function Claimed() {
  return (
    <SignInLayout title="Pharos is already set up" lead="The setup link has already been used.">
      <Link href="/sign-in" class="button button-primary w-full">
        Sign in
      </Link>
      <p class="text-muted">No account? Ask an owner for an invitation.</p>
    </SignInLayout>
  )
}

function WhereIsTheLink() {
  return (
    <SignInLayout title="Set up Pharos" lead="Open the single-use setup link that the server printed when it started.">
      <div>
        <h2 class="font-medium">Where to find the link</h2>
        <p class="mt-1 text-muted">
          In the output of <code class="font-mono">npm start</code>:
        </p>
        <pre class="code mt-2 break-all whitespace-pre-wrap">Set up {window.location.origin}/setup?token=…</pre>
        <p class="mt-1 text-xs text-muted">Restarting the server prints a new link and invalidates the old one.</p>
      </div>
      <div>
        <h2 class="font-medium">Without the link</h2>
        <p class="mt-1 text-muted">Create the first user on the server:</p>
        <div class="mt-2">
          <CodeBlock
            text="npx pharos users create you@example.com --role owner"
            label="Command that creates the first user"
          />
        </div>
      </div>
    </SignInLayout>
  )
}

function FirstUser({ token }: { token: string }) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const founder = useOwnerFields()
  const submit = async () => {
    const body = { token, ...founder.body }
    await unwrap(userApp.POST('/app/api/setup', { body }))
    navigate(`${await homePath(queries)}welcome`)
  }
  return (
    <SignInLayout title="Set up Pharos" lead="You’ll own the organization and can invite others later.">
      <Form action="Create account" onSubmit={submit} class={wideForm}>
        {founder.fields}
      </Form>
    </SignInLayout>
  )
}
