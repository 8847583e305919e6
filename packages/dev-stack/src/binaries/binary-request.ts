import type { Environment } from '../processes/host-environment.ts'
import type { ServerTool } from './server-tool.ts'

export type BinaryRequest = {
  tool: ServerTool
  workDir: string
  environment: Environment
  out: (line: string) => void
}
