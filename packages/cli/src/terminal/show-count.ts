import type { Output } from './output.ts'
import { visible } from './visible.ts'

/** One line that changes, where somebody watches. */
export function showCount(output: Output) {
  let isDrawn = false
  function erase() {
    if (isDrawn) output.stderr.write('\x1b[1A\x1b[0J')
    isDrawn = false
  }
  if (output.isWatched) output.drawBelow({ erase })
  return {
    show(text: string): void {
      if (!output.isWatched) return
      erase()
      output.stderr.write(`${visible(text)}\n`)
      isDrawn = true
    },
    end(): void {
      erase()
      output.drawBelow(null)
    },
  }
}
