import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { hasKubo } from '@tideport/testing/kubo'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { environmentOf, fromDisk, processOf, startFixtureStack } from '../fixture-stack.ts'

test('a stack with several storage networks sets up each network and reports its directory', async () => {
  await using own = await createTemporaryDirectory('dev-stack')
  await using two = await startFixtureStack(own.path, { networks: ['disk-a', 'disk-b'] })
  const { networkDir, networkDirs } = two.describe()
  expect(networkDirs).toEqual({
    'disk-a': join(own.path, 'networks/disk-a'),
    'disk-b': join(own.path, 'networks/disk-b'),
  })
  expect(networkDir).toBe(networkDirs['disk-a'])
  for (const dir of Object.values(networkDirs)) await access(dir)
  const environment = await environmentOf(processOf(two.describe(), 'sync'))
  expect(environment).toMatchObject({ STORAGE_NETWORKS: 'disk-a,disk-b', NETWORK_DISK_B_DIR: networkDirs['disk-b'] })
})

test.skipIf(!hasKubo())(
  'a network named ipfs is a separate node, which restarts with its copies after a kill',
  async () => {
    await using own = await createTemporaryDirectory('dev-stack')
    await using one = await startFixtureStack(own.path, { networks: ['ipfs'] })
    const node = processOf(one.describe(), 'ipfs')
    const environment = await environmentOf(processOf(one.describe(), 'sync'))
    expect(environment).toMatchObject({ STORAGE_NETWORKS: 'ipfs', NETWORK_IPFS_RPC_URLS: node.url })
    const call = async (command: string) => {
      const headers = { authorization: `Bearer ${environment.NETWORK_IPFS_RPC_TOKEN}` }
      return await (await fetch(`${node.url}/api/v0/files/${command}`, { method: 'POST', headers })).text()
    }
    await call('mkdir?arg=/kept')
    await call('flush?arg=/kept')
    process.kill(node.pid, 'SIGKILL')
    await expect.poll(() => processOf(one.describe(), 'ipfs').pid).not.toBe(node.pid)
    expect(await call('ls')).toContain('kept')
    await one.changeNetworks({ networks: ['ipfs', 'disk-a'] })
  },
)

test('a network named walrus-devnet is a separate Walrus, which restarts with its blobs after a kill', async () => {
  await using own = await createTemporaryDirectory('dev-stack')
  await using one = await startFixtureStack(own.path, { networks: ['walrus-devnet'] })
  const node = processOf(one.describe(), 'walrus')
  const environment = await environmentOf(processOf(one.describe(), 'sync'))
  const settings = { STORAGE_NETWORKS: 'walrus-devnet', NETWORK_WALRUS_DEVNET_PUBLISHERS: node.url }
  expect(environment).toMatchObject(settings)
  process.kill(node.pid, 'SIGKILL')
  await expect.poll(() => processOf(one.describe(), 'walrus').pid).not.toBe(node.pid)
  expect(await (await fetch(`${node.url}/status`)).text()).toBe('OK')
  // Succeeds only if the marker that was stored before the kill still exists.
  await one.changeNetworks({ networks: ['walrus-devnet', 'disk-a'] })
})

test('a stack changes its storage networks while it runs, process by process, or for one replica only', async () => {
  await using own = await createTemporaryDirectory('dev-stack')
  await using changing = await startFixtureStack(own.path, { networks: ['disk-a'], replicas: { sync: 2 } })
  const environmentOfSync = (replica: number) => environmentOf(processOf(changing.describe(), 'sync', replica))
  const before = changing.describe()
  await changing.changeNetworks({ networks: ['disk-a', 'disk-b'], leaving: ['disk-a'], replicas: [1] })
  expect(await environmentOfSync(0)).toMatchObject({ STORAGE_NETWORKS: 'disk-a' })
  const changed = { STORAGE_NETWORKS: 'disk-a,disk-b', NETWORK_DISK_A_ROLE: 'leaving' }
  expect(await environmentOfSync(1)).toMatchObject(changed)

  await changing.changeNetworks({ networks: ['disk-b'] })
  for (const replica of [0, 1]) expect(await environmentOfSync(replica)).toMatchObject({ STORAGE_NETWORKS: 'disk-b' })
  expect((await fromDisk(own.path)).networkDirs).toEqual({ 'disk-b': join(own.path, 'networks/disk-b') })
  expect(processOf(changing.describe(), 'sync').adminUrl).toBe(processOf(before, 'sync').adminUrl)
  expect(processOf(changing.describe(), 'gateway')).toEqual(processOf(before, 'gateway'))

  process.kill(processOf(changing.describe(), 'sync').pid, 'SIGKILL')
  const isBack = async () => (await environmentOfSync(0).catch(() => null))?.STORAGE_NETWORKS
  await expect.poll(isBack).toBe('disk-b')
})
