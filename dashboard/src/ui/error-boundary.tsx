import { Component, type ComponentChildren } from 'preact'
import { Button } from './button.tsx'

interface BoundaryProps {
  /** Another place is another try. */
  readonly place: string
  readonly children: ComponentChildren
}

/**
 * A screen that cannot be shown does not take the rest with it. Mostly its code could not be fetched: the server is away, or a
 * newer version has taken its place, and then only loading the page anew helps.
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
          <h1 class="text-base font-semibold text-down-text">This screen could not be loaded</h1>
          <p class="mt-1">The server may be away, or there is a newer version of the dashboard.</p>
          <div class="mt-3">
            <Button onClick={() => window.location.reload()}>Load anew</Button>
          </div>
        </div>
      </div>
    )
  }
}
