import { signal } from '@preact/signals'

const firstMs = 2_000
const longestMs = 60_000

/** Whether nobody answered, and it is waited until it is tried again. */
export const isCutOff = signal(false)

let tries = 0
let end = () => {}

/** Goes on in a while, each time a longer one; at once when the browser has a network again, or `tryNow`. */
export function waitForService(goOn: () => void): void {
  isCutOff.value = true
  const done = new AbortController()
  end = () => {
    done.abort()
    clearTimeout(timer)
    isCutOff.value = false
    goOn()
  }
  const timer = setTimeout(() => end(), Math.min(longestMs, firstMs * 2 ** tries++))
  addEventListener('online', () => end(), { signal: done.signal })
}

/** Ends the wait. */
export function tryNow(): void {
  if (isCutOff.value) end()
}

/** Somebody answered: the next wait is a short one. */
export function cameBack(): void {
  tries = 0
}
