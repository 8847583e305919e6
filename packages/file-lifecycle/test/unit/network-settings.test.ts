import { describe, expect, it } from 'vitest'
import { readNetworks } from '../../src/copies/network-settings.ts'

const GIB = 1024 ** 3

describe('the networks of an environment', () => {
  it('are in the order of STORAGE_NETWORKS, each with settings of its own', () => {
    const env = {
      NETWORK_DISK_A_DIR: '/a',
      NETWORK_DISK_A_RESERVE_BYTES: '5',
      NETWORK_LAKE_DRIVER: 'walrus',
      NETWORK_OLD_DIR: '/old',
      NETWORK_OLD_ROLE: 'leaving',
    }
    expect(readNetworks('old, lake,,disk-a', env)).toEqual([
      { name: 'old', driver: 'embedded', role: 'leaving', dir: '/old', reserveBytes: GIB },
      { name: 'lake', driver: 'walrus', role: 'required' },
      { name: 'disk-a', driver: 'embedded', role: 'required', dir: '/a', reserveBytes: 5 },
    ])
  })

  it('are the one of STORAGE_NETWORK, named after its driver, when no names are given', () => {
    const embedded = { name: 'embedded', driver: 'embedded', role: 'required', dir: '/d', reserveBytes: GIB }
    expect(readNetworks('', { EMBEDDED_NETWORK_DIR: '/d' })).toEqual([embedded])
    expect(readNetworks(' , ', { EMBEDDED_NETWORK_DIR: '/d' })).toEqual([embedded])
    const ipfs = { name: 'ipfs', driver: 'ipfs', role: 'required' }
    expect(readNetworks('', { STORAGE_NETWORK: 'ipfs' })).toEqual([ipfs])
  })

  it.each([
    ['no required network', 'a', { NETWORK_A_DIR: '/a', NETWORK_A_ROLE: 'leaving' }, /one network at least/],
    ['a name twice', 'a,a', { NETWORK_A_DIR: '/a' }, /given twice/],
    ['what is no name', 'Lake', {}, /"Lake" is not a name/],
    ['a name that is too long', 'a'.repeat(33), {}, /is not a name/],
    ['no directory', 'disk-a', {}, /NETWORK_DISK_A_DIR: is required/],
    ['no directory in the short form', '', {}, /EMBEDDED_NETWORK_DIR: is required/],
    ['a driver that there is not', 'a', { NETWORK_A_DRIVER: 'tape' }, /NETWORK_A_DRIVER/],
    ['a role that there is not', 'a', { NETWORK_A_DIR: '/a', NETWORK_A_ROLE: 'primary' }, /NETWORK_A_ROLE/],
  ])('are refused with %s', (_, names, env: Record<string, string>, message) => {
    expect(() => readNetworks(names, env)).toThrow(message)
  })
})
