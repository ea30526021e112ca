import { useEffect, useState } from 'preact/hooks'

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
