// Sends the requests of record-clients.ts: call BASE TEXT.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"runtime"
)

func main() {
	base, text := os.Args[1], os.Args[2]
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type request struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		Temperature float64   `json:"temperature"`
	}
	body, _ := json.Marshal(request{"m", []message{{"user", text}}, 0.5})
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	parts.WriteField("name", "n")
	head := textproto.MIMEHeader{}
	head.Set("Content-Disposition", `form-data; name="file"; filename="a.txt"`)
	head.Set("Content-Type", "text/plain")
	part, _ := parts.CreatePart(head)
	part.Write([]byte("text"))
	parts.Close()
	send := func(method, name string, body []byte, kind, key string) {
		var reader io.Reader
		if body != nil {
			reader = bytes.NewReader(body)
		}
		call, _ := http.NewRequest(method, base+"/"+name, reader)
		call.Header.Set("Authorization", "Bearer key")
		if kind != "" {
			call.Header.Set("Content-Type", kind)
		}
		if key != "" {
			call.Header.Set("Idempotency-Key", key)
		}
		answer, err := http.DefaultClient.Do(call)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	send("GET", "get", nil, "", "")
	send("DELETE", "delete", nil, "", "")
	send("POST", "empty", nil, "", "")
	send("POST", "json", body, "application/json", "")
	send("POST", "keyed", body, "application/json", "idem")
	send("PUT", "put", body, "application/json", "")
	send("PATCH", "patch", body, "application/json", "")
	send("POST", "form", form.Bytes(), parts.FormDataContentType(), "")
	fmt.Println(runtime.Version()[2:])
}
