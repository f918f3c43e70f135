// Groups within groups, as the workbench writes its editor area down. Plain data.

export interface GroupNode {
  size?: number
  groups?: GroupNode[]
}

/** The same groups within the same groups, whatever their sizes. */
export function sameNesting(a: { groups?: GroupNode[] | undefined }, b: { groups?: GroupNode[] | undefined }): boolean {
  const [of, to] = [a.groups ?? [], b.groups ?? []]
  return of.length === to.length && of.every((node, index) => sameNesting(node, to[index] ?? {}))
}

/** Groups with other sizes, by how much more room there is along each direction in turn. */
export function scaled(nodes: GroupNode[], [along, across]: [number, number]): GroupNode[] {
  return nodes.map(({ size = 1, groups }) => ({
    size: size * along,
    ...(groups ? { groups: scaled(groups, [across, along]) } : {}),
  }))
}
