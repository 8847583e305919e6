import type { RpcAddress } from './rpc.ts'

export interface IpfsSettings extends Pick<RpcAddress, 'token'> {
  /** The node's RPC. Further ones are asked for bytes while the first does not answer, and for nothing else. */
  urls: [string, ...string[]]
  /** The directory of the node's MFS that is the network's alone, as `/tideport`. */
  directory: string
  /** Longer than any garbage collection of the node: every write to its MFS waits for the end of one. */
  collectionSeconds: number
}
