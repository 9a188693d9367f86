import okhttp3.*;

/** Sends the requests of record-clients.ts: Call BASE JSON, with okhttp on the class path. */
public class Call {
  public static void main(String[] args) throws Exception {
    String base = args[0];
    OkHttpClient client = new OkHttpClient();
    MediaType json = MediaType.get("application/json");
    byte[] text = args[1].getBytes("UTF-8");
    RequestBody body = RequestBody.create(text, json);
    RequestBody none = RequestBody.create(new byte[0], null);
    RequestBody file = RequestBody.create("text".getBytes(), MediaType.get("text/plain"));
    RequestBody form = new MultipartBody.Builder().setType(MultipartBody.FORM)
      .addFormDataPart("name", "n").addFormDataPart("file", "a.txt", file).build();
    Object[][] calls = {{"GET", "get", null}, {"DELETE", "delete", null}, {"POST", "empty", none}, {"POST", "json", body},
      {"POST", "keyed", body}, {"PUT", "put", body}, {"PATCH", "patch", body}, {"POST", "form", form}};
    for (Object[] call : calls) {
      Request.Builder request = new Request.Builder().url(base + "/" + call[1]).header("Authorization", "Bearer key");
      if (call[1].equals("keyed")) request.header("Idempotency-Key", "idem");
      request.method((String) call[0], (RequestBody) call[2]);
      try (Response answer = client.newCall(request.build()).execute()) { answer.body().bytes(); }
    }
    System.out.println(OkHttp.VERSION);
    System.exit(0);
  }
}
