import type { Environment } from '../processes/host-environment.ts'
import type { ServerTool } from './server-tool.ts'

/** What a way of getting a binary is given. It puts its files into `workDir`, which is removed afterwards. */
export type BinaryRequest = {
  tool: ServerTool
  workDir: string
  environment: Environment
  /** Takes a line for the person who waits. */
  out: (line: string) => void
}
