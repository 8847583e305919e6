export interface Deadline extends Disposable {
  /** Aborts when the time has passed or the parent aborts. */
  signal: AbortSignal
  isOver(): boolean
}

/**
 * Replaces `AbortSignal.any` and `AbortSignal.timeout`. These leave a timer and an error behind, which cost more than a
 * call to the store.
 */
export function openDeadline(ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  }, ms).unref()
  const end = () => controller.abort(parent?.reason)
  if (parent?.aborted) end()
  else parent?.addEventListener('abort', end, { once: true })
  return {
    signal: controller.signal,
    isOver: () => isOver,
    [Symbol.dispose]() {
      clearTimeout(timer)
      parent?.removeEventListener('abort', end)
    },
  }
}
