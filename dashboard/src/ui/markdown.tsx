import { useEffect, useState } from 'preact/hooks'
import { t } from '../lib/i18n.ts'

type Render = (text: string) => string

let loading: Promise<Render> | undefined

/** markdown-it is a separate chunk, loaded with the first text. */
function loadRenderer(): Promise<Render> {
  loading ??= import('./markdown-html.ts').then(({ markdownHtml }) => markdownHtml)
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

/** What a text will look like, below the field where it is written. Nothing without a text. */
export function MarkdownPreview({ text }: { text: string }) {
  if (text.trim() === '') return null
  return (
    <section aria-label={t('Preview')} class="rounded-md bg-ground p-3">
      <p class="mb-1 text-xs text-muted">{t('Preview')}</p>
      <Markdown text={text} />
    </section>
  )
}

/** Markdown, rendered with the rules of status pages. Shows plain text until the renderer is loaded. */
export function Markdown({ text }: { text: string }) {
  const [render, setRender] = useState<Render>()
  useEffect(() => {
    let isMounted = true
    loadRenderer().then(
      (loaded) => isMounted && setRender(() => loaded),
      () => {},
    )
    return () => {
      isMounted = false
    }
  }, [])
  if (render === undefined) return <p class="whitespace-pre-wrap">{text}</p>
  // The renderer escapes HTML and allows only http(s) and mailto links.
  return <div class="prose space-y-2" dangerouslySetInnerHTML={{ __html: render(text) }} />
}
