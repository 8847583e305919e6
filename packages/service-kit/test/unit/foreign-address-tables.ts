/** Addresses from the tests of other projects, with those for which our rules are intentionally stricter. */
export interface AddressTable {
  /** The project and test that the data comes from. */
  source: string
  refused: readonly string[]
  allowed: readonly string[]
  /** Allowed there, rejected here: IPv6 addresses outside the part that is in use. */
  stricterHere: readonly string[]
}

export const addressTables: readonly AddressTable[] = [
  {
    source: 'stripe/smokescreen, TestClassifyAddr (MIT), without its configured exceptions',
    refused: [
      '10.0.0.1',
      '172.16.0.1',
      '192.168.0.1',
      '100.64.0.1',
      '100.64.0.100',
      '100.127.255.254',
      '127.0.0.1',
      '127.255.255.255',
      '::1',
      '169.254.169.254',
      '255.255.255.255',
      'ff02:0:0:0:0:0:0:2',
      '64:ff9b::ac1c:5',
      '64:ff9b::c000:201',
      '64:ff9b::a00:1',
      '64:ff9b::808:808',
      '64:ff9b::ffff:ffff',
      '2002:c000:201::1',
      '2002:a00:1::1',
      '2002:808:808::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      '2001:0:1234:5678:9abc:def0:1234:5678',
    ],
    allowed: ['8.8.8.8', '100.63.255.254', '100.128.0.1', '2001:4860:4860::8888', '2606:4700:4700::1111'],
    stricterHere: ['64:ff9c::1'],
  },
]

/** microsoft/AntiSSRF, config/IPAddressRanges.json, `recommendedV1` (MIT). */
export const specialNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::1/128',
  '::/128',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const
