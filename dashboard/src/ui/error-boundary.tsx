import { Component, type ComponentChildren } from 'preact'
import { Button } from './button.tsx'

interface BoundaryProps {
  /** A change of this key tries again. */
  readonly place: string
  readonly children: ComponentChildren
}

/**
 * Limits an error to one screen. Usually its chunk could not be loaded: the server is unavailable, or a new version was deployed and
 * the page must be reloaded.
 */
export class ErrorBoundary extends Component<BoundaryProps, { fault: Error | null }> {
  override state = { fault: null as Error | null }

  static override getDerivedStateFromError(fault: Error) {
    return { fault }
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.place !== this.props.place && this.state.fault !== null) this.setState({ fault: null })
  }

  override render() {
    if (this.state.fault === null) return this.props.children
    return (
      <div class="mx-auto max-w-6xl px-4 py-6 md:px-8">
        <div role="alert" class="rounded-md border border-down bg-down-soft p-4">
          <h1 class="text-base font-semibold text-down-text">This page could not be loaded</h1>
          <p class="mt-1">The server may be unavailable, or a newer version of the dashboard is available.</p>
          <div class="mt-3">
            <Button onClick={() => window.location.reload()}>Reload</Button>
          </div>
        </div>
      </div>
    )
  }
}
