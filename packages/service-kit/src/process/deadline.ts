export interface Deadline extends Disposable {
  /** Aborts when the time is over or the parent aborts. */
  signal: AbortSignal
  isOver(): boolean
}

/**
 * Aborts with its parent or after so many milliseconds, until it is disposed of. `AbortSignal.any` and `timeout` leave a timer behind for as
 * long as the call could have taken, and an error with its stack when it fires: more than a call to the store costs.
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
