import {
  answerJson,
  assume,
  assumeRead,
  type Chat,
  type ChatsApi,
  contains,
  covers,
  describe,
  expect,
  expectAccepted,
  inputRows,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { claimTurnKept } from '../../support/history.ts'
import { firstWord } from '../../support/test-data.ts'

/** The favorites, for as long as a mark may take to be shown. */
const pollFavorites = (chats: ChatsApi, chat: Chat) =>
  chats.poll(
    () => chats.readFavorites(),
    (_, page) => chats.mentions(page, chat),
  )

/** Sections 2.5 and 4.3: favorites, and what else they leave of a chat. */
describe('v3: favorites', () => {
  test(
    'favorites are added, listed and removed',
    covers(['V3-FAV-01', 'V3-FAV-02', 'V3-FAV-03', 'V3-CHAT-05', 'V3-CHAT-06'], {
      requests: 40,
      chats: 2,
    }),
    async ({ v3, chats, claim }) => {
      const [chat, other] = [await v3.createChat(), await v3.createChat()]
      const added = await chats.addFavorite(chat.id)
      const list = await pollFavorites(chats, chat)
      assumeRead(list, chats.mentions(list, chat))
      const isFavorite = claim(
        'V3-FAV-01',
        () => {
          expectAccepted(added, 'POST /chat/{chat_id}/favorite')
          expectAccepted(list, 'GET /chat/favorite')
          expect(chats.mentions(list, chat), 'the favorites show the chat').toBe(true)
        },
        added,
        list,
      )
      assume(isFavorite, 'no favorite was added', added, list)
      const walk = await chats.walk({}, [chat])
      const listed = walk.pagesWith(chat.id).length > 0
      if (listed || walk.complete) {
        claim(
          'V3-CHAT-05',
          () => expect(listed, 'the list shows a favorite').toBe(true),
          ...walk.pages.slice(0, 3),
        )
      }
      const word = firstWord(chat.name)
      const found = await chats.poll(
        () => chats.readList({ search: word }),
        (body) => contains(body, chat.id),
      )
      assumeRead(found, contains(found.body, chat.id))
      claim(
        'V3-CHAT-06',
        () => expect(contains(found.body, chat.id), `search=${word} finds a favorite`).toBe(true),
        found,
      )
      // Whatever a second request is answered, the chat stays what it is.
      const addedAgain = await chats.addFavorite(chat.id, { role: 'probe' })
      const still = await pollFavorites(chats, chat)
      assumeRead(still, chats.mentions(still, chat))
      claim(
        'V3-FAV-01',
        () =>
          expect(
            chats.mentions(still, chat),
            'the favorites show a chat that was added twice',
          ).toBe(true),
        addedAgain,
        still,
      )
      claim(
        'V3-FAV-03',
        () =>
          expect(chats.mentions(list, other), 'the favorites show a chat that was not added').toBe(
            false,
          ),
        list,
      )

      const removed = await chats.removeFavorite(chat.id)
      const after = await chats.poll(
        () => chats.readFavorites(),
        (_, page) => !chats.mentions(page, chat),
      )
      const removedAgain = await chats.removeFavorite(chat.id, { role: 'probe' })
      const afterTwo = await chats.readFavorites()
      // A chat that the first removal did not remove is the matter of the next claim.
      if (!chats.mentions(after, chat)) {
        const isBack = chats.mentions(afterTwo, chat)
        const what = 'after a second removal the favorites show the chat again'
        const evidence = [removed, removedAgain, afterTwo]
        claim('V3-FAV-02', () => expect(isBack, what).toBe(false), ...evidence)
      }
      const read = await chats.get(chat.id)
      claim(
        'V3-FAV-02',
        () => {
          expectAccepted(removed, 'DELETE /chat/{chat_id}/favorite')
          expectAccepted(after, 'GET /chat/favorite')
          expect(chats.mentions(after, chat), 'the favorites still show the chat').toBe(false)
          expectAccepted(read, 'reading the chat that was a favorite')
          expect(chats.mentions(read, chat), 'the chat is kept').toBe(true)
        },
        removed,
        after,
        read,
      )
    },
  )

  test(
    'a favorite keeps its mark, name and history after other operations on the chat',
    covers(['V3-FAV-01', 'V3-FAV-03', 'V3-CHAT-02', 'V3-CHAT-05', 'V3-CHAT-13', 'V3-HIST-07'], {
      requests: 65,
      generations: 3,
      chats: 3,
    }),
    async ({ v3, chats, claim, session, prompts }) => {
      const [chat, other, newer] = [
        await v3.createChat(),
        await v3.createChat(),
        await v3.createChat(),
      ]
      const isNamed = contains(answerJson(await chats.get(chat.id)), chat.name)
      const added = await chats.addFavorite(chat.id, { role: 'arrange' })
      const list = await pollFavorites(chats, chat)
      // That a favorite is listed is for another scenario.
      if (!succeeded(added) || !chats.mentions(list, chat)) return
      const showsIds = contains(list.body, chat.id)
      const nonce = session.nonce()
      const answer = await v3.generateOk(v3.generateBody(chat, prompts.brief(nonce)))
      await claimTurnKept({ v3, claim }, chat, nonce, answer)
      // Whatever it is called, a chat keeps what is said in it.
      await chats.rename(other.id, session.name(), { role: 'probe' })
      const otherNonce = session.nonce()
      const reply = await v3.generateOk(v3.generateBody(other, prompts.brief(otherNonce)))
      await claimTurnKept({ v3, claim }, other, otherNonce, reply)
      const before = await v3.waitForHistory(chat, (rows) => inputRows(rows, nonce).length > 0)
      const walk = await chats.walk({}, [chat, other])
      for (const one of [chat, other]) {
        const listed = walk.pagesWith(one.id).length > 0
        if (!listed && !walk.complete) continue
        const what = 'the list shows a chat that has a message'
        claim('V3-CHAT-05', () => expect(listed, what).toBe(true), ...walk.pages.slice(0, 3))
      }

      const renamed = { ...chat, name: session.name() }
      const marks = async (action: string) => {
        const favorites = await chats.poll(
          () => chats.readFavorites(),
          (_, page) => [chat, renamed].some((one) => chats.mentions(page, one)),
        )
        const shows = (one: Chat) => chats.mentions(favorites, one)
        assumeRead(favorites, shows(chat) || shows(renamed))
        claim(
          'V3-FAV-01',
          () =>
            expect(
              shows(chat) || shows(renamed),
              `the chat is still a favorite after ${action}`,
            ).toBe(true),
          favorites,
        )
        claim(
          'V3-FAV-03',
          () => expect(shows(other), `another chat is a favorite after ${action}`).toBe(false),
          favorites,
        )
      }
      await marks('a generation')
      await chats.addFavorite(chat.id, { role: 'probe' })
      await chats.rename(chat.id, renamed.name, { role: 'probe' })
      await marks('a change of its name')
      await chats.generateName(chat.id, { role: 'probe' })
      if (showsIds) await marks('a new title')
      const after = await v3.historyAfterPause(chat)
      // A history that mixes chats is for V3-HIST-16.
      if (inputRows(before.rows, nonce).length === 1) {
        claim(
          'V3-HIST-07',
          () =>
            expect(
              inputRows(after.rows, nonce).length,
              'rows of the question after a favorite, another name and a title',
            ).toBe(1),
          ...before.pages,
          ...after.pages,
        )
      }
      const removed = await chats.remove(other.id, { role: 'probe' })
      const left = await v3.historyAfterPause(chat)
      if (inputRows(after.rows, nonce).length > 0) {
        claim(
          'V3-CHAT-13',
          () =>
            expect(
              inputRows(left.rows, nonce).length,
              'rows of the question after another chat was deleted',
            ).toBeGreaterThan(0),
          removed,
          ...left.pages,
        )
      }
      const marked = await chats.addFavorite(newer.id, { role: 'probe' })
      if (succeeded(marked)) {
        const two = await pollFavorites(chats, newer)
        const lists = (one: Chat) => chats.mentions(two, one)
        assumeRead(two, lists(newer) && (lists(chat) || !showsIds))
        claim(
          'V3-FAV-01',
          () => {
            expect(lists(newer), 'the favorites show a second favorite').toBe(true)
            if (showsIds) expect(lists(chat), 'the favorites show the first of two').toBe(true)
          },
          marked,
          two,
        )
      }
      if (!isNamed) return
      const read = await chats.get(newer.id)
      claim(
        'V3-CHAT-02',
        () =>
          expect(
            contains(answerJson(read), newer.name),
            'a favorite has the name of the chat',
          ).toBe(true),
        marked,
        read,
      )
    },
  )
})
