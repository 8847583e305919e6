import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import type { StackOptions } from '@tideport/dev-stack/stack/stack-options'
import { startStack } from '@tideport/dev-stack/stack/start-stack'

/** Runs the stack in a separate process like `npm start`, so the work of the bench does not affect the stack. */
const { env, ...options } = JSON.parse(process.argv[2] ?? '') as StackOptions
const stack = await startStack({
  ...options,
  port: 0,
  quiet: true,
  env: { ...(hostEnvironment() as typeof env), ...env },
})
process.once('disconnect', async () => {
  await stack.stop()
  process.exit()
})
process.send?.(stack.describe())
