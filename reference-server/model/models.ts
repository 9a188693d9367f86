/** The models of section 2.1. */

export interface CatalogModel {
  readonly id: string
  /** Other accepted ids. */
  readonly aliases: readonly string[]
  readonly description: string
}

export const models: readonly CatalogModel[] = [
  {
    id: 'SVC-Vision',
    aliases: [],
    description: 'Vision model (30B-class, 3B active): processing of images and video',
  },
  {
    id: 'svc-main-model',
    aliases: ['SVC-Main'],
    description: 'Main model (30B-class, 3B active): general use',
  },
]

export function findModel(id: string): CatalogModel | undefined {
  return models.find((model) => model.id === id || model.aliases.includes(id))
}
