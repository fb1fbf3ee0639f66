/** Keeps a fault of one view from taking the page with it: the frame, the pickers and the other views go on. */
import { Component } from 'preact'
import type { ComponentChildren } from 'preact'

interface FenceProps {
  readonly name: string
  readonly children: ComponentChildren
}

interface FenceState {
  readonly fault: string | undefined
}

export class Fence extends Component<FenceProps, FenceState> {
  override state: FenceState = { fault: undefined }

  override componentDidCatch(error: unknown): void {
    // For the console too: whoever repairs it needs the stack.
    console.error(error)
    this.setState({ fault: error instanceof Error ? error.message : String(error) })
  }

  override render() {
    const { fault } = this.state
    if (fault === undefined) return this.props.children
    return (
      <div class="notice is-bad" role="alert">
        <h2>{this.props.name} has a fault</h2>
        <p>
          It stopped with “{fault}”. The other views still work. A link to this page and this sentence are enough to
          report it.
        </p>
        <button type="button" class="button" onClick={() => this.setState({ fault: undefined })}>
          Try again
        </button>
      </div>
    )
  }
}
