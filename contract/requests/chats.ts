/** Chats and their attachments (section 4.3, prefix /chat); other members are tolerated. */
import { z } from 'zod'
import { flag, pageQuery } from './fields.ts'

export const createChatRequest = z.looseObject({ name: z.string().optional() })

/** The body is not shown. A version in it changes nothing (section 3). */
export const updateChatRequest = z.looseObject({
  name: z.string().optional(),
  is_favorite: z.boolean().optional(),
})

/** All but `exclude_favorites` holds for every list that can be searched. */
export const searchedListQuery = z.looseObject({ search: z.string().optional(), ...pageQuery })

export const listChatsQuery = searchedListQuery.extend({ exclude_favorites: flag.optional() })
