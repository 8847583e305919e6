import { Component, type ComponentChildren } from 'preact'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'

/** A fault of one page leaves all around it standing. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false }

  static override getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
  }

  override render() {
    if (!this.state.failed) return this.props.children
    const t = text.value.app
    return (
      <Empty title={t.failedTitle} text={t.failedText}>
        <Button onClick={() => this.setState({ failed: false })}>{t.retry}</Button>
      </Empty>
    )
  }
}
