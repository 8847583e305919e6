import { dismissToast, type Toast, toasts } from '../api/toasts.ts'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** Always rendered: screen readers announce only changes of an existing live region. */
export function Toaster() {
  return (
    <section class="toaster" aria-label={text.value.app.notices}>
      <ol aria-live="polite" aria-relevant="additions">
        {toasts.value.map((toast) => (
          <ToastItem key={toast.id} {...toast} />
        ))}
      </ol>
    </section>
  )
}

function ToastItem({ id, kind, message, action }: Toast) {
  const run = () => {
    dismissToast(id)
    action?.run()
  }
  return (
    <li class={`toast toast-${kind}`}>
      <span class="toast-message">{message}</span>
      {action && <Button onClick={run} text={action.label} />}
      <Button look="bare" label={text.value.app.dismiss} onClick={() => dismissToast(id)}>
        <Icon name="close" />
      </Button>
    </li>
  )
}
