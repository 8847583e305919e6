import type { Secrets } from '../data-directory/secrets.ts'
import type { StackFile, StackProcess } from '../data-directory/stack-file.ts'
import { databaseUrl } from '../provisioning/database-urls.ts'
import type { NetworkNodes, NodeKind } from '../servers/network-nodes.ts'
import type { RunningService, Services } from '../services/start-services.ts'
import type { Servers } from './start-servers.ts'

type StackParts = {
  servers: Servers
  nodes: NetworkNodes
  services: Services
  secrets: Secrets
  bucket: string
  networkDirs: Record<string, string>
  firstUserId: string
}

export function describeStack({ servers, nodes, services, ...parts }: StackParts): StackFile {
  const [postgres, nats, s3] = [servers.postgres.current(), servers.nats.current(), servers.s3.current()]
  const gateways = services.running.filter(({ name }) => name === 'gateway')
  return {
    gatewayUrls: gateways.map(({ url }) => url as string),
    processes: [
      ...services.running.map(describeService),
      { name: 'postgres', replica: 0, pid: postgres.pid },
      { name: 'nats', replica: 0, pid: nats.pid },
      { name: 's3', replica: 0, pid: s3.pid, url: s3.endpoint },
      ...describeNodes(nodes, 'ipfs'),
      ...describeNodes(nodes, 'walrus'),
    ],
    postgresUrl: databaseUrl(postgres.url),
    natsUrl: nats.url,
    s3: { endpoint: s3.endpoint, bucket: parts.bucket, region: s3.region, ...parts.secrets.s3 },
    networkDir: Object.values(parts.networkDirs)[0] as string,
    networkDirs: parts.networkDirs,
    firstUserId: parts.firstUserId,
  }
}

function describeService({ name, replica, child, url, adminUrl }: RunningService): StackProcess {
  return { name, replica, pid: child.current().pid, ...(url === undefined ? {} : { url }), adminUrl }
}

function describeNodes(nodes: NetworkNodes, kind: NodeKind): StackProcess[] {
  const ofKind = Object.values(nodes.current()).filter((node) => node.kind === kind)
  return ofKind.map(({ pid, url }, replica) => ({ name: kind, replica, pid, url }))
}
